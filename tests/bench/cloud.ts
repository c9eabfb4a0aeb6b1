import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createApp } from "../../src/main/app.ts";
import { modelOfPreset } from "../../src/shared/cloud.ts";
import { aPage } from "../support/page.ts";
import { aRequest, connect, person } from "../support/vendors/connect.ts";
import { standInOf } from "../support/vendors/vendors.ts";
import { figure, type Group, machineMs, median, quantile } from "./figure.ts";

const perSecond = 500;
const seconds = 3;
/** Other work on the computer disturbs one round or another: the middle one counts. */
const rounds = 5;

/** What lies between a vendor's words and the page: the door, the SDK, the provider, the runner, and the desk. */
export const cloud: Group = {
  name: "cloud",
  async measure() {
    const server = await startPacedServer();
    try {
      const raw: number[] = [];
      const added: Record<"half" | "most", number[]> = { half: [], most: [] };
      for (let round = 0; round < rounds; round++) {
        const [bare, provided] = [await delaysRaw(server), await delaysProvided(server)];
        raw.push(...bare);
        added.half.push(quantile(provided, 0.5) - quantile(bare, 0.5));
        added.most.push(quantile(provided, 0.95) - quantile(bare, 0.95));
      }
      const { deltas, batches } = await streamedToPage(server.baseUrl);
      return [
        figure("cloud: a delta from socket to reader, raw SSE, p95", quantile(raw, 0.95), machineMs),
        figure("cloud: added to each delta over the raw SSE, p50", median(added.half), machineMs),
        figure("cloud: added to each delta over the raw SSE, p95", median(added.most), machineMs, { atMost: 5 }),
        figure("cloud: through provider, runner and desk", deltas, "deltas/s", { atLeast: 0.95 * perSecond }),
        figure("cloud: batches to the page meanwhile", batches, "batches/s", { atMost: 31 }),
      ];
    } finally {
      await server.close();
    }
  },
};

interface PacedServer {
  readonly baseUrl: string;
  /** When each delta of the newest answer was written. */
  written(): readonly number[];
  close(): Promise<void>;
}

const delta = (content: string, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;

/** Says words, each with its number, at an even pace; those that are late come together, as they do on the internet. */
async function startPacedServer(): Promise<PacedServer> {
  let times: number[] = [];
  const server = createServer(async (request, response) => {
    request.resume();
    times = [];
    response.writeHead(200, { "content-type": "text/event-stream" });
    const start = performance.now();
    while (times.length < perSecond * seconds && !response.destroyed) {
      const due = Math.min(perSecond * seconds, Math.floor(((performance.now() - start) * perSecond) / 1000));
      while (times.length < due) {
        response.write(delta(`word${times.length} `));
        times.push(performance.now());
      }
      await wait(1);
    }
    response.end(`${delta("", "stop")}data: [DONE]\n\n`);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    written: () => times,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

/** Notes when each numbered word is there, whatever it came with. */
function createWatch(server: PacedServer) {
  const delays: number[] = [];
  return {
    delays,
    hear(text: string): void {
      const now = performance.now();
      for (const [, number] of text.matchAll(/word(\d+) /g))
        delays.push(now - (server.written()[Number(number)] ?? now));
    },
  };
}

async function delaysRaw(server: PacedServer): Promise<readonly number[]> {
  const watch = createWatch(server);
  const response = await fetch(`${server.baseUrl}/chat/completions`, { method: "POST", body: "{}" });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) watch.hear(decoder.decode(chunk, { stream: true }));
  return watch.delays;
}

async function delaysProvided(server: PacedServer): Promise<readonly number[]> {
  const watch = createWatch(server);
  const { provider } = connect({ vendor: standInOf("custom (as OpenAI)"), baseUrl: server.baseUrl });
  const events = provider.stream(aRequest([person("Say words.")]), new AbortController().signal);
  for await (const event of events) if (event.type === "text") watch.hear(event.text);
  return watch.delays;
}

/** The whole app, and a page that only counts. */
async function streamedToPage(baseUrl: string): Promise<{ deltas: number; batches: number }> {
  const dataFolder = mkdtempSync(join(tmpdir(), "lares-bench-"));
  const app = await createApp({ dataFolder });
  try {
    const page = aPage(app.desk);
    const connection = await page.call("cloud.connect", { vendor: "custom", name: "Paced", baseUrl });
    const { id } = await page.call("cloud.savePreset", {
      preset: {
        ...{ name: "Paced", connectionId: connection.id, model: "m", window: 32_768, maxOutputTokens: 8192 },
        ...{ vision: false, tools: false },
      },
    });
    const { chatId } = await page.call("chats.create", { private: false });
    await page.call("chats.model", { chatId, model: modelOfPreset(id) });
    const times: number[] = [];
    let deltas = 0;
    app.bus.listen((event) => {
      if (event.type !== "delta") return;
      deltas += (event.text.match(/word\d+ /g) ?? []).length;
      times.push(performance.now());
    });
    const before = page.batches.length;
    await page.say(chatId, "Say words.");
    const took = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1000;
    return { deltas: deltas / took, batches: (page.batches.length - before) / took };
  } finally {
    await app.close();
    rmSync(dataFolder, { recursive: true });
  }
}
