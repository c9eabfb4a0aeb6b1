/**
 * A Lares as a page would find it: started on the data folder named on the command line, with a page that asks for all it
 * shows first. Tells how long that took since the process began; then it leaves when told to, or answers without end.
 */
import { createApp } from "../../src/main/app.ts";
import { says, scriptedProvider } from "../support/scripted-provider.ts";

const [dataFolder = "", ending = ""] = process.argv.slice(2);

const endless = [{ type: "text", text: "Once upon a time" } as const, { wait: 60_000 }, ...says(".")];
const provider = scriptedProvider([], { afterwards: endless });
const app = await createApp({ dataFolder, workspace: dataFolder, provider });
const page = app.desk.connect({ kind: "window" }, ({ seq }) => void page.call("stream.ack", { seq }));

async function shown(name: string, input: unknown): Promise<{ chats?: readonly { id: string }[] }> {
  const reply = await page.call(name, input);
  if (!reply.ok) throw new Error(`${name} was refused: ${reply.error.message}`);
  return Object(reply.value);
}

await shown("app.hello", {});
const { chats } = await shown("chats.list", {});
await shown("chats.open", { chatId: chats?.[0]?.id });
const usableMs = performance.now();

if (ending === "crash") {
  app.bus.listen((event) => {
    if (event.type === "delta") setTimeout(() => process.send?.({ usableMs }), 500); // its text is on disk by then
  });
  app.bus.ask({ id: `m-${Date.now()}`, channel: "bench", sessionId: "crashed", text: "Tell me." });
} else {
  process.once("message", () => void app.close().then(() => process.exit(0)));
  process.send?.({ usableMs });
}
