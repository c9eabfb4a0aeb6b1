import { APICallError } from "@ai-sdk/provider";
import { z } from "zod";
import type { OfferedModel } from "../../shared/cloud.ts";
import { AppError } from "../../shared/errors.ts";
import type { Purpose } from "../../shared/network.ts";
import { toCloudError } from "./cloud-errors.ts";
import { headerKey, type Link, openRoad } from "./cloud-road.ts";
import { type Protocol, vendors } from "./vendors.ts";

/** What vendors tell of a model, each in its own words. Anything else is left unread. */
const Entry = z.looseObject({
  id: z.string().optional(),
  name: z.string().nullish(),
  display_name: z.string().nullish(),
  displayName: z.string().nullish(),
  context_length: z.number().nullish(), // OpenRouter, Moonshot
  context_window: z.number().nullish(), // Groq
  max_context_length: z.number().nullish(), // Mistral, LM Studio
  max_model_len: z.number().nullish(), // vLLM
  inputTokenLimit: z.number().nullish(), // Google
  max_input_tokens: z.number().nullish(), // Anthropic
  outputTokenLimit: z.number().nullish(),
  max_completion_tokens: z.number().nullish(),
  max_tokens: z.number().nullish(),
  top_provider: z.looseObject({ max_completion_tokens: z.number().nullish() }).nullish(),
  architecture: z.looseObject({ input_modalities: z.array(z.string()).nullish() }).nullish(),
  supported_parameters: z.array(z.string()).nullish(),
  supportedGenerationMethods: z.array(z.string()).nullish(),
  supports_image_in: z.boolean().nullish(), // Moonshot
  capabilities: z
    .looseObject({
      vision: z.boolean().nullish(),
      function_calling: z.boolean().nullish(),
      completion_chat: z.boolean().nullish(),
    })
    .nullish()
    .catch(undefined), // a list of words at LM Studio
  meta: z.looseObject({ n_ctx_train: z.number().nullish() }).nullish(), // llama.cpp
});
type Entry = z.infer<typeof Entry>;

const List = z.union([
  z.object({ data: z.array(Entry) }).transform(({ data }) => data),
  z.object({ models: z.array(Entry) }).transform(({ models }) => models),
  z.array(Entry),
]);

const keyHeaders: Readonly<Record<Protocol, (key: string) => Record<string, string>>> = {
  anthropic: (key) => ({ "x-api-key": key, "anthropic-version": "2023-06-01" }),
  google: (key) => ({ "x-goog-api-key": key }),
  openai: bearer,
  mistral: bearer,
  compatible: bearer,
};

/** A vendor gives all at once where it can be asked to. */
const query: Partial<Record<Protocol, string>> = { anthropic: "?limit=1000", google: "?pageSize=1000" };

function bearer(key: string): Record<string, string> {
  return { authorization: `Bearer ${key}` };
}

/** The models of a connection, by name; asking for them is also what tests its key. Throws as an answer would. */
export async function offeredModels({
  connection,
  key,
  door,
  purpose,
}: Link & { readonly purpose: Purpose }): Promise<OfferedModel[]> {
  const { protocol } = vendors[connection.vendor];
  const secret = await headerKey({ connection, key });
  const road = openRoad({ connection, door }, { purpose });
  const headers = { accept: "application/json", ...(secret !== undefined && keyHeaders[protocol](secret)) };
  try {
    const response = await road.fetch(`${road.baseUrl}/models${query[protocol] ?? ""}`, { headers });
    const body = await response.text();
    if (!response.ok) throw refusalOf(response, body);
    return listed(body, connection.name);
  } catch (thrown) {
    throw toCloudError(thrown, { name: connection.name, host: road.baseUrl, key: secret });
  }
}

const refusalOf = ({ status: statusCode, statusText: message, headers, url }: Response, responseBody: string) =>
  new APICallError({
    message,
    url,
    requestBodyValues: {},
    statusCode,
    responseHeaders: Object.fromEntries(headers),
    responseBody,
  });

function listed(body: string, name: string): OfferedModel[] {
  const { success, data } = List.safeParse(parsed(body));
  if (!success) throw new AppError("not-an-api", `${name} answers, but not with a list of models. Check the address.`);
  return data
    .filter(isForChat)
    .map(offered)
    .filter(({ id }) => id !== "")
    .sort((one, other) => one.id.localeCompare(other.id));
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // then it is no list
  }
}

/** Where a vendor says what a model is for. */
const isForChat = ({ supportedGenerationMethods, capabilities }: Entry): boolean =>
  (supportedGenerationMethods?.includes("generateContent") ?? true) && capabilities?.completion_chat !== false;

function offered(entry: Entry): OfferedModel {
  const id = (entry.id ?? entry.name ?? "").replace(/^models\//, "");
  const name = entry.display_name ?? entry.displayName ?? (entry.id === undefined ? undefined : entry.name);
  const window =
    entry.context_length ??
    entry.context_window ??
    entry.max_context_length ??
    entry.max_model_len ??
    entry.inputTokenLimit;
  const known = {
    name: name === id ? undefined : name,
    window: window ?? entry.max_input_tokens ?? entry.meta?.n_ctx_train,
    maxOutputTokens:
      entry.outputTokenLimit ??
      entry.max_completion_tokens ??
      entry.top_provider?.max_completion_tokens ??
      entry.max_tokens,
    vision:
      entry.capabilities?.vision ?? entry.architecture?.input_modalities?.includes("image") ?? entry.supports_image_in,
    tools: entry.capabilities?.function_calling ?? entry.supported_parameters?.includes("tools"),
  };
  return {
    id,
    ...Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined && value !== null)),
  };
}
