import { createHash } from "node:crypto";

/** What a vendor puts on the thoughts of its model, and knows again: of other thoughts, or of another vendor, it is wrong. */
export const sealOf = (vendor: string, thoughts: string): string =>
  createHash("sha256").update(`${vendor}\n${thoughts}`).digest("base64");
