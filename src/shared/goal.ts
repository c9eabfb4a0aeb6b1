import { z } from "zod";

/** How much may be spent on a goal before the person is asked again. */
export const GoalBudget = z
  .object({
    /** Requests to the model. */
    iterations: z.number(),
    /** Read and written ones together. */
    tokens: z.number(),
    /** Of work, not of waiting. */
    minutes: z.number(),
  })
  .readonly();
export type GoalBudget = z.infer<typeof GoalBudget>;

/** Something a chat works towards over more than one answer (`/goal`). A chat has one at most. */
export const Goal = z
  .object({
    sessionId: z.string(),
    /** In the person's words. */
    text: z.string(),
    /** active: answers go on until it is reached. paused: it waits for the person. The others are ends. */
    state: z.enum(["active", "paused", "completed", "blocked", "cancelled"]),
    /** Why it is not active. */
    reason: z.enum(["asked-user", "no-progress", "budget", "error", "stopped", "person", "model"]).exactOptional(),
    /** What the model said when it completed or gave up the goal. */
    note: z.string().exactOptional(),
    budget: GoalBudget,
    spent: GoalBudget,
    /** Epoch milliseconds. */
    createdAt: z.number(),
    updatedAt: z.number(),
  })
  .readonly();
export type Goal = z.infer<typeof Goal>;
