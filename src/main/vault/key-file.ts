import { z } from "zod";
import { VaultTier } from "../../shared/cloud.ts";
import type { VaultFolder } from "./vault-folder.ts";

const FILE = "keys.json";

const KeyFile = z.object({
  version: z.literal(1),
  /** What the person chose; absent: the best there is. */
  tier: VaultTier.optional(),
  /** A move that was decided, and may not have been finished: these names are still to be removed from there. */
  leaving: z.object({ tier: VaultTier, names: z.array(z.string()) }).optional(),
  /** By name: which keeper has the secret, and, where that keeper only encrypts, the secret as it encrypted it. */
  keys: z.record(z.string(), z.object({ keeper: z.string(), sealed: z.string() })),
});
type Contents = z.infer<typeof KeyFile>;
export type SealedKey = Contents["keys"][string];

/** The file that says how keys are kept. Nothing in it can be read without the keyring. */
export interface KeyFile {
  /** It was there and could not be read; it is kept beside the next one that is written. */
  isDamaged(): boolean;
  read(): Contents;
  /** On disk when it resolves. */
  change(change: Partial<Contents>): Promise<void>;
}

export function openKeyFile(folder: VaultFolder): KeyFile {
  const text = folder.read(FILE);
  let damaged = false;
  let contents = parse(text ?? JSON.stringify({ version: 1, keys: {} }));
  if (!contents) damaged = true;

  return {
    isDamaged: () => damaged,
    read: () => contents ?? { version: 1, keys: {} },
    async change(change) {
      const next = { ...(contents ?? { version: 1, keys: {} }), ...change };
      if (damaged) await folder.setAside(FILE);
      damaged = false;
      await folder.write(FILE, `${JSON.stringify(next, null, 2)}\n`);
      contents = next;
    },
  };
}

function parse(text: string): Contents | undefined {
  try {
    return KeyFile.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
