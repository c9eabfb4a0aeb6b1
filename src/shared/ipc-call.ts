import type { z } from "zod";

/** One entry of the contract: what is asked, and what comes back. */
export const call = <I extends z.ZodType, O extends z.ZodType>(input: I, output: O) => ({ input, output });
