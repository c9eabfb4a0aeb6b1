import { registerHooks } from "node:module";

// `node --import tests/electron/stand-in.ts out/main/index.js`, forked by window.ts: the built main process runs in
// plain Node, on a few lines that take Electron's place. Where the real binary exists nothing here is needed.
const electron = new URL("./electron.ts", import.meta.url).href;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "electron" ? { url: electron, shortCircuit: true } : next(specifier, context),
});
