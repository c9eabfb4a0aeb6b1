export const b = await import("./cycle-c.ts");
