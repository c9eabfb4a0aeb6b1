import { expect, test } from "vitest";
import { fuses } from "./fuses.ts";

test("every fuse of Electron is set as the threat model says", () => {
  expect(Object.fromEntries(fuses.map(({ name, on }) => [name, on]))).toEqual({
    RunAsNode: false,
    EnableCookieEncryption: true,
    EnableNodeOptionsEnvironmentVariable: false,
    EnableNodeCliInspectArguments: false,
    EnableEmbeddedAsarIntegrityValidation: true,
    OnlyLoadAppFromAsar: true,
    LoadBrowserProcessSpecificV8Snapshot: false,
    GrantFileProtocolExtraPrivileges: false,
    WasmTrapHandlers: true,
  });
});
