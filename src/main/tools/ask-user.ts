import { z } from "zod";
import { defineTool } from "./tool.ts";

/** The one tool that ends a turn: what it asks is the answer, and the person's reply is the next message. */
export const askUserTool = defineTool({
  name: "ask_user",
  description: "Ask the user one question, only when you cannot go on without the answer.",
  class: "read",
  exclusive: true,
  input: z.object({ question: z.string().min(1).max(4_000) }),
  run: async () => ({ text: "The user was asked. Their answer is their next message.", summary: "asked" }),
});

/** The question of a call that was checked. */
export const questionOf = (input: unknown): string => String(Object(input).question ?? "");
