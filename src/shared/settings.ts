import { z } from "zod";

const seconds = (value: number) => z.number().positive().default(value);

/** Every number of turns.md that a person may change, with its default. Stored as one JSON value. */
export const Settings = z.object({
  /** The model used where neither a flag nor the session names one: a file or a catalogue id. */
  model: z.string().optional(),
  /** The folder the assistant may read; absent: the one Lares was started for. */
  workspace: z.string().optional(),
  language: z.enum(["system", "en", "zh-CN"]).default("system"),
  theme: z.enum(["system", "light", "dark"]).default("system"),
  /** The window asked of a local model, tokens; clamped to what it was trained for. */
  contextTokens: z.number().int().min(512).max(1_048_576).default(8192),
  maxOutputTokens: z.number().int().min(16).max(65_536).default(1024),
  temperature: z.number().min(0).max(2).default(0),
  /** Requests to the model in one turn. */
  maxIterations: z.number().int().min(1).max(1000).default(200),
  maxIterationsLocal: z.number().int().min(1).max(1000).default(40),
  /** A request with no sign of life from the model, and one that streams. */
  requestSeconds: seconds(300),
  streamSeconds: seconds(600),
  idleSeconds: seconds(90),
  /** Nothing but this computer is connected to. Off once the person has picked a cloud model. */
  localMode: z.boolean().default(true),
  /** Asked in this order when a model's side cannot answer: files, catalogue ids or `cloud:<preset>`. */
  fallbacks: z.array(z.string().max(4096)).max(5).default([]),
  /** How a local model is run. Layers on the graphics card: auto finds what fits. */
  gpu: z.enum(["auto", "off"]).default("auto"),
  flashAttention: z.enum(["auto", "on", "off"]).default("auto"),
  /** Smaller numbers in the model's memory: more window, a little less exact. */
  cacheType: z.enum(["f16", "q8_0"]).default("f16"),
  /** The model thinks before it answers, where its template has that. */
  thinking: z.enum(["auto", "off"]).default("auto"),
  /** An answer that a crash interrupted goes on by itself at the next start, unless it was interrupted there before. */
  continueAfterCrash: z.boolean().default(false),
  /** What may be spent on a goal before the person is asked again. */
  goalIterations: z.number().int().min(1).max(10_000).default(100),
  goalTokens: z.number().int().min(1000).max(100_000_000).default(500_000),
  goalMinutes: z.number().min(1).max(10_000).default(30),
  /** A local model that nobody used for so long is unloaded. */
  unloadMinutes: z.number().positive().default(10),
});
export type Settings = z.infer<typeof Settings>;

/** What is to change. Made without the defaults, which `partial()` would write over everything that is not named. */
export const SettingsChange = z.strictObject(
  Object.fromEntries(
    Object.entries(Settings.shape).map(([key, field]) => [
      key,
      (field instanceof z.ZodDefault ? field.unwrap() : field).optional(),
    ]),
  ),
) as unknown as z.ZodType<Partial<Settings>, Partial<Settings>>;
