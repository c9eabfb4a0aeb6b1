export const load = globalThis["fetch"];
