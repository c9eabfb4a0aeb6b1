import { aDoor } from "./door.ts";
import { ask, hostileRequests } from "./hostile-network.ts";
import { ownAllAddresses, serveEverywhere } from "./open-world.ts";

/** In a network namespace of its own, where every address answers: what each hostile request comes to, as one line of JSON. */
ownAllAddresses();
const { reached } = await serveEverywhere();
const outcomes: Record<string, unknown> = {};
for (const request of hostileRequests) {
  const before = reached.length;
  const { code, rows } = await ask(request);
  outcomes[request.id] = {
    code,
    reached: reached.slice(before),
    open: rows.filter(({ outcome }) => outcome === "open").length,
  };
}
/** An answer that runs when Local mode is switched on: 10.0.0.1 is beyond this computer. */
const door = aDoor();
const visit = door.visit({ purpose: "answer", granted: "http://10.0.0.1" });
const running = (await visit.fetch("http://10.0.0.1/drip")).text();
door.shut();
const code = await running.then(
  () => "it went on",
  (thrown) => thrown.code,
);
/** Without a door all of it answers: else the outcomes above would mean nothing. */
const careless: Record<string, string> = {};
for (const { id, input } of hostileRequests.filter(({ id }) => /^H\d+$/.test(id)))
  careless[id] = await fetch(input, { redirect: "manual", signal: AbortSignal.timeout(1000) }).then(
    (response) => response.text(),
    (thrown) => String(thrown.cause?.code ?? thrown),
  );
process.stdout.write(JSON.stringify({ outcomes, careless, cut: { code, rows: door.rows() } }));
process.exit(0);
