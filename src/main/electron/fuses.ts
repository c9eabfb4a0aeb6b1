/** One switch inside the packed binary, by the name that @electron/fuses has for it. */
export interface Fuse {
  readonly name: string;
  readonly on: boolean;
  readonly why: string;
}

/**
 * Every fuse of Electron, each set on purpose: what is flipped when Lares is packed, with `strictlyRequireAllFuses`, so
 * that a fuse which a later Electron brings stops the packing until it stands here.
 */
export const fuses: readonly Fuse[] = [
  {
    name: "RunAsNode",
    on: false,
    why: "nobody runs scripts with the signed binary; the engine child has to be a utility process then",
  },
  { name: "EnableCookieEncryption", on: true, why: "what Chromium stores of itself is not plain text" },
  { name: "EnableNodeOptionsEnvironmentVariable", on: false, why: "NODE_OPTIONS would load code into main" },
  { name: "EnableNodeCliInspectArguments", on: false, why: "--inspect would let any program of this person into main" },
  { name: "EnableEmbeddedAsarIntegrityValidation", on: true, why: "a changed app.asar does not start" },
  { name: "OnlyLoadAppFromAsar", on: true, why: "a folder put beside app.asar is not run" },
  { name: "LoadBrowserProcessSpecificV8Snapshot", on: false, why: "there is one snapshot, and it ships with Electron" },
  { name: "GrantFileProtocolExtraPrivileges", on: false, why: "the page has a scheme of its own; file: gets nothing" },
  { name: "WasmTrapHandlers", on: true, why: "Electron's default: a wild WebAssembly access is a trap, not a check" },
];
