import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * A process of its own that gives one file to everyone who asks, so that what it costs is not counted with those who
 * fetch. Below `/line` it comes no faster than over a line of 1 Gbit/s.
 */
const [file = ""] = process.argv.slice(2);
const LINE = 125e6;

async function* paced(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const start = performance.now();
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += chunk.length;
    const early = (sent / LINE) * 1000 - (performance.now() - start);
    if (early >= 2) await sleep(early);
  }
}

const server = createServer((request, response) => {
  response.writeHead(200, { etag: '"one"', "content-length": statSync(file).size });
  const content = createReadStream(file, { highWaterMark: 512 * 1024 });
  const isLine = request.url?.startsWith("/line/") === true;
  void pipeline(isLine ? paced(content) : content, response).catch(() => undefined); // whoever asked has gone
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
process.on("disconnect", () => process.exit());
