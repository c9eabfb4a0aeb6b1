import { platform, totalmem } from "node:os";

/**
 * Bytes of memory that programs could have now. macOS counts what it would give back at once as taken, so that nothing
 * can be told from its number: there it is all there is.
 */
export const freeMemory = (): number => (platform() === "darwin" ? totalmem() : process.availableMemory());
