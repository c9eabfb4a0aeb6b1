import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** A server that speaks as OpenAI does, and says back every secret that it is sent, in every way that it can be written. */
export async function anEchoingVendor() {
  const keys: string[] = [];
  let answers = false;
  const server = createServer(async (request, response) => {
    const key = (request.headers.authorization ?? "").replace("Bearer ", "");
    const body = await buffer(request);
    keys.push(key);
    if (answers && request.method === "POST") {
      response.writeHead(200, { "content-type": "text/event-stream" });
      return response.end(streamed("An answer."));
    }
    if (answers) {
      response.writeHead(200, { "content-type": "application/json" });
      return response.end(JSON.stringify({ object: "list", data: [{ id: "echo-1", object: "model" }] }));
    }
    const echo = [
      key,
      encodeURIComponent(key),
      Buffer.from(key).toString("base64"),
      Buffer.from(`u:${key}`).toString("base64"),
    ];
    response.writeHead(401, { "content-type": "application/json", "x-echo": key, "www-authenticate": `Bearer ${key}` });
    const message = `Incorrect API key provided: ${echo.join(" ")} (${request.headers.authorization}), ${body.length} bytes`;
    response.end(
      JSON.stringify({ error: { message, type: "invalid_request_error", param: key, code: "invalid_api_key" } }),
    );
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise<void>((closed) => void server.close(() => closed()));
  });
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    /** As they came, one a request. */
    keys,
    /** From now on it takes every key. */
    relent(): void {
      answers = true;
    },
  };
}

function streamed(text: string): string {
  const chunk = (choice: object, more: object = {}) =>
    `data: ${JSON.stringify({ id: "c1", object: "chat.completion.chunk", created: 1, model: "echo-1", choices: [{ index: 0, ...choice }], ...more })}\n\n`;
  return [
    chunk({ delta: { role: "assistant", content: text }, finish_reason: null }),
    chunk(
      { delta: {}, finish_reason: "stop" },
      { usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } },
    ),
    "data: [DONE]\n\n",
  ].join("");
}
