import { z } from "zod";

const Id = z.string().regex(/^[\w-]{1,64}$/);

/** The vendors that Lares knows by name. `custom`: any address that speaks the protocol of OpenAI. */
export const vendorIds = [
  "openai",
  "anthropic",
  "google",
  "mistral",
  "deepseek",
  "groq",
  "xai",
  "openrouter",
  "moonshot",
  "qwen",
  "custom",
] as const;
export const VendorId = z.enum(vendorIds);
export type VendorId = z.infer<typeof VendorId>;

/** Where something answers, as seen from this computer. */
export const Place = z.enum(["this-computer", "local-network", "cloud"]);
export type Place = z.infer<typeof Place>;

/** An account at a vendor, or an address: what a key belongs to, and what a person allows a chat to be sent to. */
export const CloudConnection = z
  .object({
    id: Id,
    vendor: VendorId,
    /** What the person calls it. */
    name: z.string().trim().min(1).max(80),
    /** Always set; without a slash at its end. A key is bound to its origin. */
    baseUrl: z.url({ protocol: /^https?$/ }).max(500),
    place: Place,
  })
  .readonly();
export type CloudConnection = z.infer<typeof CloudConnection>;

/** A model of a connection with its parameters, under a name. A chat that uses it has `cloud:<id>` as its model. */
export const CloudPreset = z
  .object({
    id: Id,
    name: z.string().trim().min(1).max(80),
    connectionId: Id,
    /** The vendor's own id of the model. */
    model: z.string().trim().min(1).max(200),
    /** Tokens of prompt and answer together, and of an answer alone. */
    window: z.int().min(1024).max(10_000_000),
    maxOutputTokens: z.int().min(16).max(1_000_000),
    /** It reads images, and it calls tools. */
    vision: z.boolean(),
    tools: z.boolean(),
    temperature: z.number().min(0).max(2).exactOptional(),
    reasoning: z.enum(["off", "low", "medium", "high"]).exactOptional(),
  })
  .readonly();
export type CloudPreset = z.infer<typeof CloudPreset>;

/** What is stored of connections and presets: nothing secret. The first preset is the one offered first. */
export const CloudSetup = z
  .object({ connections: z.array(CloudConnection).readonly(), presets: z.array(CloudPreset).readonly() })
  .readonly();
export type CloudSetup = z.infer<typeof CloudSetup>;

const PREFIX = "cloud:";
/** The preset that a chat's model names; undefined: it is a model of this computer. */
export const presetIdOf = (model: string | undefined): string | undefined =>
  model?.startsWith(PREFIX) ? model.slice(PREFIX.length) : undefined;
export const modelOfPreset = (presetId: string): string => `${PREFIX}${presetId}`;

/**
 * How keys are kept. system: the keyring of the operating system. passphrase: a file that only a passphrase opens.
 * session: in memory, until Lares ends.
 */
export const VaultTier = z.enum(["system", "passphrase", "session"]);
export type VaultTier = z.infer<typeof VaultTier>;

export const VaultState = z
  .object({
    tier: VaultTier,
    /** What keeps them, for people: "macOS Keychain", "GNOME Keyring", "a file with a passphrase", … */
    backend: z.string(),
    /** The passphrase is still to be given, or the keyring is locked. */
    locked: z.boolean(),
    /** The tiers that this computer can have. */
    available: z.array(VaultTier).readonly(),
    /** Why a better tier is not available. */
    reason: z.string().exactOptional(),
  })
  .readonly();
export type VaultState = z.infer<typeof VaultState>;

/** A connection as the page sees it: whether there is a key, never the key. */
export const ConnectionView = CloudConnection.unwrap()
  .extend({
    key: z.enum(["none", "kept", "locked", "unreadable"]),
    /** Host and port, for people. */
    host: z.string(),
  })
  .readonly();
export type ConnectionView = z.infer<typeof ConnectionView>;

/** A vendor as it is offered. */
export const VendorView = z
  .object({
    id: VendorId,
    name: z.string(),
    /** Where its requests go; empty: the person says. */
    baseUrl: z.string(),
    needsKey: z.boolean(),
    /** Where a person gets a key. */
    keyPage: z.string().exactOptional(),
  })
  .readonly();
export type VendorView = z.infer<typeof VendorView>;

/** A model that a connection offers, as far as its vendor says. */
export const OfferedModel = z
  .object({
    id: z.string(),
    name: z.string().exactOptional(),
    window: z.number().exactOptional(),
    maxOutputTokens: z.number().exactOptional(),
    vision: z.boolean().exactOptional(),
    tools: z.boolean().exactOptional(),
  })
  .readonly();
export type OfferedModel = z.infer<typeof OfferedModel>;

export const CloudOverview = z
  .object({
    vendors: z.array(VendorView).readonly(),
    connections: z.array(ConnectionView).readonly(),
    presets: z.array(CloudPreset).readonly(),
    vault: VaultState,
  })
  .readonly();
export type CloudOverview = z.infer<typeof CloudOverview>;

/** What would leave this computer with the next message of a chat. */
export const Leaving = z
  .object({
    connectionId: Id,
    /** Who would get it: the connection's name, host and place. */
    name: z.string(),
    host: z.string(),
    place: Place,
    /** Messages of the chat, the one about to be sent included. */
    messages: z.number(),
    /** Names of files and documents whose text is among them. */
    documents: z.array(z.string()).readonly(),
    images: z.number(),
    /** Texts that stay here, because they are marked. */
    gaps: z.number(),
    /** The person has allowed it for this chat. */
    allowed: z.boolean(),
    /** The chat is marked: it cannot be allowed. */
    never: z.boolean(),
  })
  .readonly();
export type Leaving = z.infer<typeof Leaving>;

/** Something that never goes to a cloud model: a chat by its id, a file by its absolute path. */
export const Mark = z.object({ kind: z.enum(["chat", "file"]), ref: z.string().min(1).max(4096) }).readonly();
export type Mark = z.infer<typeof Mark>;
