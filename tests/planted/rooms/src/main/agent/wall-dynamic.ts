export const database = await import(`../db/open.ts`);
