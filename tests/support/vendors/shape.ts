import { z } from "zod";
import { type Refusal, refused } from "./script.ts";

/** Shapes that several vendors document alike. */
export const ToolName = z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/);
export const JsonText = z.string().refine(isJsonObject, "is not a JSON object");
/** A picture inside a request: an address would have to be fetched by the vendor. */
export const DataUrl = z.string().regex(/^data:image\/(png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/);

export const ToolParameters = z.looseObject({ type: z.literal("object") });

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** Parses what came by a vendor's shape; a refusal in the vendor's manner says where it did not fit. */
export function read<T>(shape: z.ZodType<T>, body: unknown, status = 400): T | Refusal {
  const { success, data, error } = shape.safeParse(body);
  if (success) return data;
  const issue = deepest(error.issues[0]);
  return refused(`Invalid '${pathText(issue?.path ?? [])}': ${issue?.message}`, status);
}

export const isRefusal = (value: unknown): value is Refusal =>
  typeof value === "object" && value !== null && "status" in value && "message" in value;

type Issue = z.core.$ZodIssue;

/** Of a union, the branch with the fewest complaints says most. */
function deepest(issue: Issue | undefined, above: readonly PropertyKey[] = []): Issue | undefined {
  if (!issue) return undefined;
  const path = [...above, ...issue.path];
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return { ...issue, path };
  const [likeliest = []] = issue.errors.toSorted((a, b) => a.length - b.length);
  return deepest(likeliest[0], path) ?? { ...issue, path };
}

const pathText = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === "number" ? `[${step}]` : `.${String(step)}`))
    .join("")
    .replace(/^\./, "");

/** A message of a conversation: what it calls, or the call whose result it is. */
interface Step {
  readonly calls?: readonly string[];
  readonly result?: string;
}

/** The rule that vendors share: each call is answered right after it, and each result has its call. The first break of it. */
export function unpaired(steps: readonly Step[]): { missing: readonly string[] } | { stray: string } | undefined {
  let open: readonly string[] = [];
  for (const { calls = [], result } of steps) {
    if (result === undefined) {
      if (open.length > 0) return { missing: open };
      open = calls;
    } else if (!open.includes(result)) return { stray: result };
    else open = open.filter((id) => id !== result);
  }
  return open.length > 0 ? { missing: open } : undefined;
}
