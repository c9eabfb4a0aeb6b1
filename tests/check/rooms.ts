import { posix } from "node:path";
import { findCycle } from "./cycles.ts";
import { type Import, readSources, type SourceFile } from "./source.ts";

interface Room {
  /** The rooms it may import, besides itself. */
  readonly rooms: readonly string[];
  readonly packages: readonly string[];
  /** Nothing of Node, because it also runs in the page. */
  readonly noNode?: true;
  /** Not built yet: has no file. */
  readonly planned?: true;
}

/** The architecture, as data. A room that wants a new import changes its row in the same commit and says why. */
export const rooms: Readonly<Record<string, Room>> = {
  "src/shared": { rooms: [], packages: ["zod"], noNode: true },
  "src/preload": { rooms: ["src/shared"], packages: ["electron"], noNode: true },
  "src/renderer": {
    rooms: ["src/shared"],
    packages: [
      "react",
      "react-dom",
      "zustand",
      "@base-ui/react",
      "lucide-react",
      "virtua",
      "react-markdown",
      "remark-gfm",
      "remark-math",
      "remend",
      "marked",
      "katex",
      "lowlight",
      "i18next",
      "react-i18next",
      "zod",
    ],
    noNode: true,
  },
  "src/main/lib": { rooms: ["src/shared"], packages: [] },
  // The door opens both ways: out for downloads, in for the loopback page and its WebSocket.
  "src/main/net": { rooms: ["src/main/lib", "src/shared"], packages: ["ws", "undici", "ipaddr.js"] },
  "src/main/db": { rooms: ["src/main/lib", "src/shared"], packages: ["better-sqlite3", "zod"] },
  "src/main/vault": {
    rooms: ["src/main/lib", "src/shared"],
    packages: ["zod", "@napi-rs/keyring", "@noble/ciphers", "@noble/hashes"],
  },
  "src/main/documents": { rooms: ["src/main/db", "src/main/lib", "src/shared"], packages: [], planned: true },
  "src/main/engine": { rooms: ["src/main/lib", "src/shared"], packages: ["zod"] },
  // The forked child is a room of its own: main must never load llama.cpp into its own process.
  "src/main/engine/child": {
    rooms: ["src/main/engine", "src/main/lib", "src/shared"],
    packages: ["node-llama-cpp", "zod"],
  },
  "src/main/tools": { rooms: ["src/main/net", "src/main/lib", "src/shared"], packages: ["zod", "ajv"] },
  "src/main/providers": {
    rooms: ["src/main/engine", "src/main/net", "src/main/lib", "src/shared"],
    packages: [
      "zod",
      "@ai-sdk/provider",
      "@ai-sdk/openai",
      "@ai-sdk/anthropic",
      "@ai-sdk/google",
      "@ai-sdk/mistral",
      "@ai-sdk/openai-compatible",
    ],
  },
  "src/main/models": {
    rooms: ["src/main/engine", "src/main/net", "src/main/lib", "src/shared"],
    packages: ["zod"],
  },
  "src/main/memory": {
    rooms: ["src/main/providers", "src/main/lib", "src/shared"],
    packages: ["zod"],
    planned: true,
  },
  // No db: app.ts gives the agent a store of a few functions.
  "src/main/agent": {
    rooms: ["src/main/providers", "src/main/tools", "src/main/lib", "src/shared"],
    packages: ["zod"],
  },
  "src/main/bus": { rooms: ["src/main/lib", "src/shared"], packages: [] },
  "src/main/schedule": { rooms: ["src/main/bus", "src/main/lib", "src/shared"], packages: [], planned: true },
  "src/main/ipc": { rooms: ["src/main/lib", "src/shared"], packages: ["zod"] },
  // The browser is a channel that listens, and listening is a matter of the door.
  "src/main/channels": {
    rooms: ["src/main/bus", "src/main/ipc", "src/main/net", "src/main/lib", "src/shared"],
    packages: ["zod"],
  },
  "src/main/electron": { rooms: ["src/main/lib", "src/shared"], packages: ["electron"] },
};

/** The joints: they know every room, stand in none, and no room knows them. */
const joints = [
  "src/main/app.ts",
  "src/main/app-cli.ts",
  "src/main/app-cloud.ts",
  "src/main/app-cloud-setup.ts",
  "src/main/app-consent.ts",
  "src/main/app-desk.ts",
  "src/main/app-doctor.ts",
  "src/main/app-front.ts",
  "src/main/app-health.ts",
  "src/main/app-homes.ts",
  "src/main/app-leaving.ts",
  "src/main/app-ledger.ts",
  "src/main/app-models.ts",
  "src/main/app-road.ts",
  "src/main/app-settings.ts",
  "src/main/app-store.ts",
  "src/main/cli.ts",
  "src/main/index.ts",
];

/** The one joint that may wake Electron. The others run in plain Node. */
const electronJoint = "src/main/index.ts";

/** The only door to the network, and what would be another one. */
const netRoom = "src/main/net";
const netModules = /^(node:)?(http|https|http2|net|tls|dgram|dns)(\/|$)|^undici(\/|$)/;
/** The page's one road to where it came from, when no preload is there; its policy lets it go nowhere else. */
const pageRoad = "src/renderer/lib/socket-host.ts";
const netNames = ["fetch", "WebSocket", "EventSource", "XMLHttpRequest"];

/** Another program can reach the network too: only the engine's keeper, the door itself and the one file for tools start one. */
const programModule = /^(node:)?child_process$/;
const programPlaces = ["src/main/engine", netRoom, "src/main/tools/child-process.ts"];

/** Ways to load a module that this check cannot follow. */
const hiddenLoaders = ["require", "createRequire", "getBuiltinModule"];

export type Rule =
  | "wall"
  | "package"
  | "network"
  | "program"
  | "hidden"
  | "cycle"
  | "empty"
  | "homeless"
  | "planned"
  | "syntax";

export interface Problem {
  readonly rule: Rule;
  /** The file, or the room. */
  readonly where: string;
  readonly message: string;
}

/** Everything under `root/src` that breaks the architecture, and how many files were looked through for it. */
export function checkRooms(root: string): { files: number; problems: Problem[] } {
  const files = readSources(root);
  const problems = [...files.flatMap(problemsOfFile), ...problemsOfRooms(files), ...problemsOfCycles(files)];
  return { files: files.length, problems };
}

function roomOf(path: string): string | undefined {
  const holding = Object.keys(rooms).filter((room) => path.startsWith(`${room}/`));
  return holding.sort((a, b) => b.length - a.length)[0];
}

function problemsOfFile(file: SourceFile): Problem[] {
  const where = file.path;
  const room = roomOf(where);
  if (file.error !== undefined) return [{ rule: "syntax", where, message: file.error }];
  if (!room && !joints.includes(where)) {
    return [{ rule: "homeless", where, message: "stands in no room: put it into one, or add its room to the table" }];
  }
  return [...file.imports.flatMap((one) => problemOfImport(file, room, one) ?? []), ...problemsOfNames(file, room)];
}

function problemOfImport(file: SourceFile, room: string | undefined, { specifier }: Import): Problem | undefined {
  const where = file.path;
  if (specifier === undefined) return { rule: "hidden", where, message: "import() of a computed name" };
  if (netModules.test(specifier) && room !== netRoom) {
    return { rule: "network", where, message: `imports ${specifier}: only ${netRoom} touches the network` };
  }
  if (programModule.test(specifier) && !programPlaces.some((place) => place === room || place === where)) {
    return { rule: "program", where, message: `imports ${specifier}: only ${programPlaces.join(", ")} start programs` };
  }
  if (specifier.startsWith(".")) return problemOfWall(where, room, resolve(file, specifier));
  const allowed = specifier.startsWith("node:") ? !isNodeless(room) : mayUsePackage(room, specifier);
  if (allowed) return undefined;
  return { rule: "package", where, message: `imports ${specifier}, which ${room ?? "a joint"} may not` };
}

function isNodeless(room: string | undefined): boolean {
  return room !== undefined && rooms[room]?.noNode === true;
}

function mayUsePackage(room: string | undefined, specifier: string): boolean {
  const packages = room === undefined ? ["zod"] : (rooms[room]?.packages ?? []);
  return packages.some((name) => specifier === name || specifier.startsWith(`${name}/`));
}

function problemOfWall(where: string, room: string | undefined, target: string): Problem | undefined {
  const to = roomOf(target);
  const wakesElectron = to === "src/main/electron" && where !== electronJoint;
  const allowed = room === undefined ? !wakesElectron : to === room || rooms[room]?.rooms.includes(to ?? "");
  if (allowed) return undefined;
  return { rule: "wall", where, message: `imports ${target}, which ${room ?? "this joint"} may not` };
}

function problemsOfNames({ path, names }: SourceFile, room: string | undefined): Problem[] {
  const doors = room === netRoom || path === pageRoad ? [] : netNames.filter((name) => names.has(name));
  const loaders = hiddenLoaders.filter((name) => names.has(name));
  return [
    ...doors.map((name): Problem => ({ rule: "network", where: path, message: `${name}: only ${netRoom} has it` })),
    ...loaders.map((name): Problem => ({ rule: "hidden", where: path, message: `${name} loads what is not checked` })),
  ];
}

function problemsOfRooms(files: readonly SourceFile[]): Problem[] {
  const lived = new Set(files.map(({ path }) => roomOf(path)));
  return Object.entries(rooms).flatMap(([where, { planned }]): Problem[] => {
    if (!planned && !lived.has(where))
      return [{ rule: "empty", where, message: "has no file: the check sees nothing" }];
    if (planned && lived.has(where))
      return [{ rule: "planned", where, message: "has files: it is not planned any more" }];
    return [];
  });
}

function problemsOfCycles(files: readonly SourceFile[]): Problem[] {
  const edges = files.map((file): [string, string[]] => [
    file.path,
    file.imports.flatMap(({ specifier, runtime }) =>
      runtime && specifier?.startsWith(".") ? resolve(file, specifier) : [],
    ),
  ]);
  const cycle = findCycle(new Map(edges));
  const [where] = cycle;
  return where === undefined ? [] : [{ rule: "cycle", where, message: `imports itself: ${cycle.join(" → ")}` }];
}

function resolve(file: SourceFile, specifier: string): string {
  return posix.join(posix.dirname(file.path), specifier.replace(/\?.*$/, ""));
}
