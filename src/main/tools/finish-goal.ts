import { z } from "zod";
import { defineTool } from "./tool.ts";

const Input = z.object({
  state: z.enum(["completed", "blocked"]),
  note: z.string().max(2_000).describe("what was reached, or what is in the way"),
});

/** Offered while a chat works on a goal. The runner writes what it says; saying it twice is saying it once. */
export const finishGoalTool = defineTool({
  name: "finish_goal",
  description: "Say that the goal is completed, or that you are blocked and cannot reach it.",
  class: "idempotent",
  exclusive: true,
  input: Input,
  run: async ({ state }) => ({ text: `Noted: the goal is ${state}. Tell the user in a few words.`, summary: state }),
});

/** What a call that was checked says of the goal. */
export const goalEndOf = (input: unknown): z.infer<typeof Input> => Input.parse(input);
