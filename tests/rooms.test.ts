import { describe, expect, test } from "vitest";
import { findCycle } from "./check/cycles.ts";
import { checkRooms, rooms } from "./check/rooms.ts";
import { parseSource } from "./check/source.ts";

const told = (root: string): string[] => checkRooms(root).problems.map(({ rule, where }) => `${rule} ${where}`);

describe("the rooms", () => {
  test("hold: every file imports only what its room may", () => {
    expect(checkRooms(".").problems.map(({ where, message }) => `${where}: ${message}`)).toEqual([]);
  });

  test("allow no circle between themselves", () => {
    expect(findCycle(new Map(Object.entries(rooms).map(([name, room]) => [name, room.rooms])))).toEqual([]);
  });
});

// Planted: a file's name begins with the rule it breaks; a file with another name breaks none.
test("a planted tree is refused file by file, each for its own reason and no other", () => {
  expect(told("tests/planted/rooms").sort()).toEqual(
    [
      "wall src/main/agent/wall-value.ts",
      "wall src/main/agent/wall-type.ts",
      "wall src/main/agent/wall-import-type.ts",
      "wall src/main/agent/wall-dynamic.ts",
      "wall src/main/agent/wall-over-lines.ts",
      "wall src/main/agent/wall-joint.ts",
      "wall src/main/bus/wall-export.ts",
      "wall src/main/cli.ts",
      "wall src/main/engine/wall-child.ts",
      "wall src/renderer/wall-main.tsx",
      "package src/main/agent/package-sqlite.ts",
      "package src/main/channels/package-electron.ts",
      "package src/main/engine/package-llama.ts",
      "package src/renderer/package-prefix.ts",
      "package src/shared/package-node.ts",
      "network src/main/tools/network-dns.ts",
      "network src/main/tools/network-fetch.ts",
      "network src/main/tools/network-global.ts",
      "network src/main/tools/network-https.ts",
      "network src/main/tools/network-socket.ts",
      "network src/main/tools/network-undici.ts",
      "program src/main/tools/program-spawn.ts",
      "hidden src/main/lib/hidden-import.ts",
      "hidden src/main/lib/hidden-require.ts",
      "cycle src/main/lib/cycle-a.ts",
      "empty src/main/ipc",
      "empty src/main/models",
      "empty src/main/providers",
      "empty src/main/vault",
      "homeless src/main/cellar/homeless.ts",
      "planned src/main/documents",
      "syntax src/main/lib/syntax.ts",
    ].sort(),
  );
});

test("every way to name a module is seen, and type imports are told from those that run", () => {
  const { imports } = parseSource(
    "a.ts",
    `import "./bare.ts"; import a, { type B } from "./value.ts"; import type { C } from "./type.ts";
     export * from "./star.ts"; export { d } from "./named.ts"; export type { E } from "./type-export.ts"; export { a };
     type F = import("./import-type.ts").F; const g = await import("./dynamic.ts"); import h = require("./old.ts");`,
  );

  const seen = imports.map(({ specifier, runtime }) => `${runtime ? "runs" : "type"} ${specifier}`);
  expect(seen).toEqual([
    "runs ./bare.ts",
    "runs ./value.ts",
    "type ./type.ts",
    "runs ./star.ts",
    "runs ./named.ts",
    "type ./type-export.ts",
    "type ./import-type.ts",
    "runs ./dynamic.ts",
    "runs ./old.ts",
  ]);
});

test("the message of a cycle shows the way round", () => {
  const cycle = checkRooms("tests/planted/rooms").problems.find(({ rule }) => rule === "cycle");
  const ring = ["a", "b", "c", "a"].map((name) => `src/main/lib/cycle-${name}.ts`).join(" → ");
  expect(cycle?.message).toBe(`imports itself: ${ring}`);
});
