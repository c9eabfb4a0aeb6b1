import {
  type ChatModelFunctions,
  ChatWrapper,
  type ChatWrapperGenerateContextStateOptions,
  chatWrappers,
  Gemma4ChatWrapper,
  HarmonyChatWrapper,
  JinjaTemplateChatWrapper,
  type LlamaModel,
  LlamaText,
  MuseChatWrapper,
  QwenChatWrapper,
  type ResolvableChatWrapperTypeName,
  resolvableChatWrapperTypeNames,
  resolveChatWrapper,
  SeedChatWrapper,
  SpecialToken,
} from "node-llama-cpp";

export interface NamedWrapper {
  readonly wrapper: ChatWrapper;
  /** The name it can be made by again without probing the template; "auto" when none makes the same. */
  readonly name: string;
}

/** No dates, and thoughts stay: both would move the prefix, and what moved has to be read again. */
const settings = {
  qwen: { keepOnlyLastThought: false },
  deepSeek: { keepOnlyLastThought: false },
  gemma4: { keepOnlyLastThought: false },
  harmony: { keepOnlyLastThought: false, todayDate: null },
  muse: { keepOnlyLastThought: false, todayDate: null },
  "llama3.1": { todayDate: null },
  "llama3.2-lightweight": { todayDate: null },
};

/** Wrappers with a syntax for tools that models were trained on. The others of the library use an invented one. */
const toolWrappers: ReadonlySet<string> = new Set([
  "deepSeek",
  "functionary",
  "gemma4",
  "harmony",
  "llama3.1",
  "llama3.2-lightweight",
  "mistral",
  "muse",
  "qwen",
  "seed",
] satisfies ResolvableChatWrapperTypeName[]);

/** The wrapper that fits the model's template. Finding it blocks for up to seconds; making it by `name` does not. */
export function findWrapper(model: LlamaModel, name?: string): NamedWrapper {
  if (name !== undefined && name !== "auto" && isTypeName(name)) return { wrapper: makeWrapper(model, name), name };
  const found = makeWrapper(model, "auto");
  const hasTemplate = Boolean(model.fileInfo.metadata.tokenizer?.chat_template);
  // The library's own Seed wrapper prints user turns as system ones.
  const usesTemplate = found instanceof JinjaTemplateChatWrapper || (found instanceof SeedChatWrapper && hasTemplate);
  const type = usesTemplate ? "jinjaTemplate" : typeOf(found);
  const wrapper = makeWrapper(model, type);
  return usesTemplate || isSame(wrapper, found) ? { wrapper, name: type } : { wrapper: found, name: "auto" };
}

/** Whether the wrapper has its own syntax for calling tools. */
export const knowsTools = (wrapper: ChatWrapper): boolean =>
  wrapper instanceof JinjaTemplateChatWrapper
    ? wrapper.usingJinjaFunctionCallTemplate
    : toolWrappers.has(typeOf(wrapper));

/** Whether the wrapper has a place for thoughts. */
export const hasThoughts = ({ settings }: ChatWrapper): boolean => settings.segments?.thought !== undefined;

/** What keeps the wrappers that know thoughts from asking for them. */
const quietly = [
  [QwenChatWrapper, { thoughts: "discourage" }],
  [Gemma4ChatWrapper, { reasoning: false }],
  [JinjaTemplateChatWrapper, { reasoning: false }],
  [HarmonyChatWrapper, { reasoningEffort: "low" }],
  [MuseChatWrapper, { reasoningStrength: "low" }],
] as const;

/** The same wrapper, with as little thinking as the template allows. What it wrote before keeps its place. */
export function quiet(wrapper: ChatWrapper): ChatWrapper {
  const change = quietly.find(([Wrapper]) => wrapper instanceof Wrapper)?.[1];
  return change ? Object.assign(Object.create(wrapper), change) : wrapper;
}

export interface Decoration {
  /** The wrapper begins with a BOS token that this model must not be given. */
  readonly dropBos: boolean;
  /** Told in the prompt, whether or not they may be called: the prompt must not change with that. */
  readonly tools: ChatModelFunctions | undefined;
}

/** A wrapper that is `inner` but for what `decoration` says and for results, which it prints as they are. */
export function decorateWrapper(inner: ChatWrapper, { dropBos, tools }: Decoration): ChatWrapper {
  const decorated: ChatWrapper = Object.create(inner);
  decorated.generateContextState = (options: ChatWrapperGenerateContextStateOptions) => {
    const state = inner.generateContextState.call(decorated, {
      ...options,
      ...(tools && { availableFunctions: tools }),
    });
    const [first, ...rest] = state.contextText.values;
    const hasBos = first instanceof SpecialToken && first.value === "BOS";
    return dropBos && hasBos ? { ...state, contextText: LlamaText(rest) } : state;
  };
  if (!printsOwnResults(inner)) decorated.generateFunctionCallResult = printResult.bind(undefined, inner);
  return decorated;
}

/** Whether the wrapper must be kept from beginning with BOS: the model was trained without, or would get it twice. */
export function mustDropBos(model: LlamaModel, wrapper: ChatWrapper): boolean {
  const { bos, shouldPrependBosToken, bosString } = model.tokens;
  const { contextText } = wrapper.generateContextState({ chatHistory: [{ type: "user", text: "Hi" }] });
  const [first, second] = contextText.tokenize(model.tokenizer);
  if (bos === null || first !== bos) return false;
  if (second === bos) return true;
  const template = model.fileInfo.metadata.tokenizer?.chat_template ?? "";
  const isInTemplate = template.includes("bos_token") || template.startsWith(bosString ?? "{{");
  return !shouldPrependBosToken && !isInTemplate && !(wrapper instanceof JinjaTemplateChatWrapper);
}

const makeWrapper = (model: LlamaModel, type: ResolvableChatWrapperTypeName): ChatWrapper =>
  resolveChatWrapper(model, {
    type,
    warningLogs: false,
    // Given while it searches, this would take part in its comparison of templates.
    customWrapperSettings: type === "jinjaTemplate" ? { jinjaTemplate: { keepOnlyLastThought: false } } : settings,
  });

const isTypeName = (name: string): name is ResolvableChatWrapperTypeName =>
  resolvableChatWrapperTypeNames.some((known) => known === name);

function typeOf(wrapper: ChatWrapper): ResolvableChatWrapperTypeName {
  const entry = Object.entries(chatWrappers).find(([, Wrapper]) => wrapper.constructor === Wrapper);
  return entry && isTypeName(entry[0]) ? entry[0] : "auto";
}

/** Some names stand for several variants of a wrapper. */
const isSame = (one: ChatWrapper, other: ChatWrapper): boolean =>
  JSON.stringify({ ...one }) === JSON.stringify({ ...other });

const printsOwnResults = (wrapper: ChatWrapper): boolean =>
  !(wrapper instanceof QwenChatWrapper) &&
  wrapper.generateFunctionCallResult !== ChatWrapper.prototype.generateFunctionCallResult;

/** A result as the tool wrote it: the library would print it as a JSON string, with more tokens and harder to read. */
function printResult(wrapper: ChatWrapper, name: string, params: unknown, result: unknown): LlamaText {
  if (typeof result !== "string") return wrapper.generateFunctionCallResult(name, params, result);
  const { prefix, suffix } = wrapper.settings.functions.result;
  return LlamaText([fillIn(prefix, name, params), result, fillIn(suffix, name, params)]);
}

const fillIn = (text: LlamaText | string | undefined, name: string, params: unknown): LlamaText =>
  LlamaText(text ?? "").mapValues((value) =>
    typeof value === "string"
      ? value.replaceAll("{{functionName}}", name).replaceAll("{{functionParams}}", JSON.stringify(params) ?? "")
      : value,
  );
