import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";

/** One place where a file names another file or package. */
export interface Import {
  /** As it is written, or undefined where it is computed and nobody can know. */
  readonly specifier: string | undefined;
  /** False for what type stripping removes. */
  readonly runtime: boolean;
}

export interface SourceFile {
  /** Path from the root, with forward slashes. */
  readonly path: string;
  readonly imports: readonly Import[];
  /** Every free-standing name in the file: variables, functions, types and members of globalThis, not other properties. */
  readonly names: ReadonlySet<string>;
  /** What the parser says where the file is not TypeScript. */
  readonly error?: string;
}

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node => typeof value === "object" && value !== null && "type" in value;

/** Reads and parses every TypeScript file under `root/src` that ships: tests beside their file do not. */
export function readSources(root: string): SourceFile[] {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .map((name) => `src/${name.replaceAll("\\", "/")}`)
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$/.test(path))
    .sort()
    .map((path) => parseSource(path, readFileSync(join(root, path), "utf8")));
}

/** What a file's text imports and names. A type import and an import() type count as much as a plain import. */
export function parseSource(path: string, text: string): SourceFile {
  const { program, errors } = parseSync(path, text);
  const imports: Import[] = [];
  const names = new Set<string>();
  walk(program as unknown as Node, undefined, (node, parent) => {
    const found = importOf(node);
    if (found) imports.push(found);
    const name = nameOf(node, parent);
    if (name !== undefined) names.add(name);
  });
  const [problem] = errors;
  return { path, imports, names, ...(problem && { error: problem.message }) };
}

function walk(node: Node, parent: Node | undefined, visit: (node: Node, parent: Node | undefined) => void): void {
  visit(node, parent);
  for (const child of Object.values(node).flat()) if (isNode(child)) walk(child, node, visit);
}

function importOf(node: Node): Import | undefined {
  switch (node.type) {
    case "ImportDeclaration":
    case "ExportAllDeclaration":
    case "ExportNamedDeclaration":
      if (!node.source) return undefined;
      return { specifier: literal(node.source), runtime: (node.importKind ?? node.exportKind) !== "type" };
    case "ImportExpression":
      return { specifier: literal(node.source), runtime: true };
    case "TSImportType":
      return { specifier: literal(node.source), runtime: false };
    case "TSExternalModuleReference":
      return { specifier: literal(node.expression), runtime: true };
    default:
      return undefined;
  }
}

function literal(node: unknown): string | undefined {
  if (!isNode(node)) return undefined;
  if (node.type === "Literal" && typeof node.value === "string") return node.value;
  const { quasis } = node;
  if (node.type !== "TemplateLiteral" || !Array.isArray(quasis) || quasis.length !== 1) return undefined;
  return (quasis[0] as { value: { cooked: string } }).value.cooked;
}

const globalObjects = new Set(["globalThis", "global", "window", "self"]);

function nameOf(node: Node, parent: Node | undefined): string | undefined {
  if (node.type === "MemberExpression" && isNode(node.object) && globalObjects.has(String(node.object.name))) {
    return node.computed ? literal(node.property) : String((node.property as Node).name);
  }
  if (node.type !== "Identifier") return undefined;
  const isProperty = parent?.type === "MemberExpression" && parent.property === node && !parent.computed;
  const isKey = parent?.key === node && !parent.computed && !parent.shorthand;
  return isProperty || isKey ? undefined : String(node.name);
}
