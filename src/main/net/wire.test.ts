import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { type RawServer, startRawServer } from "../../../tests/support/raw-server.ts";
import { AppError } from "../../shared/errors.ts";
import type { Purpose } from "../../shared/network.ts";

const pem = (name: string) => readFileSync(join(import.meta.dirname, "../../../tests/fixtures/tls", name), "utf8");
const certificates = { valid: pem("valid.pem"), expired: pem("expired.pem"), future: pem("future.pem") };

let server: RawServer;
afterEach(() => server.close());

const serveTls = async (certificate: string, answer = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi") => {
  server = await startRawServer(({ socket }) => socket.write(answer), {
    tls: { key: pem("key.pem"), cert: certificate },
  });
};
/** Asks for a name that leads to this computer, as its resolver says. */
async function ask(
  host: string,
  { scheme = "https", purpose = "answer" }: { scheme?: string; purpose?: Purpose } = {},
) {
  const door = aDoor({ resolve: async () => ["127.0.0.1"], limits: { connectMs: 300 } });
  const origin = `${scheme}://${host}:${server.port}`;
  const visit = door.visit({ purpose, granted: origin });
  const asked = visit.fetch(origin, { method: "POST", body: "secret" }).then((response) => response.text());
  const told = await asked.catch((thrown) => (thrown instanceof AppError ? thrown : expect.unreachable(thrown)));
  return { told, sent: visit.sent(), rows: door.rows() };
}

describe("a server that is not trusted", () => {
  test("gets nothing, and its row says why", async () => {
    await serveTls(certificates.valid);
    const { told, sent, rows } = await ask("hub.test");
    expect(told).toMatchObject({
      code: "server-untrusted",
      message: expect.stringContaining("cannot prove who it is"),
    });
    expect([sent, server.requests]).toEqual([undefined, []]);
    expect(rows).toEqual([expect.objectContaining({ outcome: "failed", error: "server-untrusted", bodyOut: 0 })]);
  });

  test("because it speaks no TLS at all, is told apart", async () => {
    server = await startRawServer(({ socket }) => socket.end(), {
      onConnection: (socket) => socket.write("SSH-2.0-x\r\n"),
    });
    expect((await ask("hub.test")).told).toMatchObject({
      code: "server-untrusted",
      message: expect.stringContaining("begins with http://"),
    });
  });

  test("because it says nothing at all, is given up with nothing sent", async () => {
    server = await startRawServer(() => undefined);
    const { told, sent } = await ask("hub.test");
    expect([told, sent]).toEqual([expect.objectContaining({ code: "timeout" }), undefined]);
  });
});

describe("a server whose certificate is known", () => {
  beforeAll(() => setDefaultCACertificates([...getCACertificates("default"), ...Object.values(certificates)]));

  test("is asked by its name, at the address that was looked up", async () => {
    await serveTls(certificates.valid);
    const { told, rows } = await ask("hub.test");
    expect(told).toBe("hi");
    expect(rows).toEqual([expect.objectContaining({ host: "hub.test", address: "127.0.0.1", outcome: "done" })]);
  });

  test("is not taken for another one", async () => {
    await serveTls(certificates.valid);
    expect((await ask("evil.test")).told).toMatchObject({ code: "server-untrusted" });
    expect(server.requests).toEqual([]);
  });

  test.each(["expired", "future"] as const)(
    "with a certificate that is %s, asks to look at the clock",
    async (name) => {
      await serveTls(certificates[name]);
      const words = expect.stringMatching(/believes that today is .*clock/);
      expect((await ask("hub.test")).told).toMatchObject({ code: "server-untrusted", message: words });
    },
  );

  test("may not send anyone on to where everyone can read along", async () => {
    await serveTls(certificates.valid, "HTTP/1.1 302 Found\r\nlocation: http://hub.test/\r\ncontent-length: 0\r\n\r\n");
    const { told, rows } = await ask("hub.test", { purpose: "download" });
    expect(told).toMatchObject({ code: "address-refused", message: expect.stringContaining("not safe to follow") });
    expect(rows.map(({ outcome, port }) => [outcome, port])).toEqual([
      ["done", server.port],
      ["refused", 80],
    ]);
  });

  test("answers nothing to those who do not speak TLS", async () => {
    await serveTls(certificates.valid);
    expect((await ask("hub.test", { scheme: "http" })).told).toMatchObject({ code: "provider-failed" });
    expect(server.requests).toEqual([]);
  });
});
