import "./lib/no-eval.ts";
import "./styles/tokens.css";
import "./styles/base.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { HostBridge } from "../shared/bridge.ts";
import { languageOf } from "../shared/words/index.ts";
import { App } from "./App.tsx";
import { AssistantProvider, createAssistant } from "./lib/assistant.tsx";
import { createHost } from "./lib/host.ts";
import { createSocketHost, findSession } from "./lib/socket-host.ts";
import { showTheme } from "./lib/theme.ts";
import { startWords } from "./lib/words.ts";
import { SessionOver } from "./shell/SessionOver.tsx";

const found = document.getElementById("root");
if (!found)
  throw new Error("index.html has no element with the id root: the page and its script do not belong together.");
const root = createRoot(found);

/** The preload's bridge, or one over a WebSocket. Null: this page has no session, and only a new address helps. */
async function findBridge(): Promise<HostBridge | null> {
  if (window.host) return window.host;
  const session = await findSession();
  if (session === null) return null;
  const bridge = createSocketHost(session);
  bridge.onOver(() => root.render(<SessionOver />));
  return bridge;
}

async function start(): Promise<void> {
  const words = startWords(languageOf("system", navigator.language)); // said again once the settings are known
  const bridge = await findBridge();
  if (!bridge) {
    await words;
    root.render(<SessionOver />);
    return;
  }
  const host = createHost(bridge);
  const hello = await host.call("app.hello", {});
  await words;
  showTheme(hello.settings.theme);
  const assistant = createAssistant(host, hello);
  root.render(
    <StrictMode>
      <AssistantProvider assistant={assistant}>
        <App />
      </AssistantProvider>
    </StrictMode>,
  );
}

await start();
