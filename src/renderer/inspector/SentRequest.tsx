import { useMemo } from "react";
import type { PromptMessage, ToolSpec } from "../../shared/inference.ts";
import type { Part } from "../../shared/message.ts";
import { visibleText } from "../lib/plain-text.ts";
import { LongText } from "./LongText.tsx";
import styles from "./SentRequest.module.css";
import { type ReadRequest, readSent } from "./sent-request.ts";
import { useTraceWords } from "./trace-words.ts";

const roleWords = {
  system: "trace.roleSystem",
  user: "trace.roleUser",
  assistant: "trace.roleAssistant",
  tool: "trace.roleTool",
} as const satisfies Record<PromptMessage["role"], string>;

/** A request to the model so that a person can read it: how it was sampled, its messages, its tools. */
export function SentRequest({ json }: { json: string }) {
  const request = useMemo(() => readSent(json), [json]);
  if (!request) return <LongText text={json} kind="code" />;
  return (
    <>
      <Sampling request={request} />
      {request.messages.map((message, at) => (
        <Message key={at} message={message} />
      ))}
      {request.tools.length > 0 && <Tools tools={request.tools} />}
    </>
  );
}

function Sampling({ request }: { request: ReadRequest }) {
  const { t, language } = useTraceWords();
  const { model, messages, tools, toolChoice, maxOutputTokens, sampling } = request;
  const figure = (value: number) => new Intl.NumberFormat(language).format(value);
  const facts = [
    ...(model ? [visibleText(model)] : []),
    t("trace.messages", { count: messages.length }),
    t("trace.tools", { count: tools.length }),
    ...(tools.length > 0 && toolChoice === "none" ? [t("trace.noToolsNow")] : []),
    ...(sampling.temperature === undefined ? [] : [t("trace.temperature", { value: figure(sampling.temperature) })]),
    ...(sampling.topP === undefined ? [] : [`top-p ${figure(sampling.topP)}`]),
    ...(sampling.topK === undefined ? [] : [`top-k ${figure(sampling.topK)}`]),
    ...(sampling.seed === undefined ? [] : [`seed ${sampling.seed}`]),
    ...(maxOutputTokens === undefined ? [] : [t("trace.mostTokens", { count: maxOutputTokens })]),
  ];
  return <p className={styles.sampling}>{facts.join(" · ")}</p>;
}

function Message({ message }: { message: PromptMessage }) {
  const { t } = useTraceWords();
  return (
    <section className={styles.message} data-role={message.role}>
      <h3>{t(roleWords[message.role])}</h3>
      {message.parts.map((part, at) => (
        <SentPart key={at} part={part} />
      ))}
    </section>
  );
}

function SentPart({ part }: { part: Part }) {
  const { t } = useTraceWords();
  switch (part.type) {
    case "text":
      return <LongText text={part.text} />;
    case "context":
      return <Labelled label={t("trace.partContext")} text={part.text} />;
    case "reasoning":
      return <Labelled label={t("trace.partReasoning")} text={part.text} />;
    case "tool-call":
      return (
        <Labelled label={t("trace.partCall", { name: part.name })} text={JSON.stringify(part.input)} kind="code" />
      );
    case "tool-result":
      return <Labelled label={t("trace.partResult", { name: part.name })} text={part.text} kind="code" />;
    case "image":
      return <Labelled label={t("trace.partImage")} text={part.name ?? part.mediaType} />;
    case "error":
      return <Labelled label={t(`problems.${part.error.code}`)} text={part.error.message} />;
    default:
      return part satisfies never;
  }
}

function Labelled({ label, text, kind = "prose" }: { label: string; text: string; kind?: "prose" | "code" }) {
  return (
    <div className={styles.labelled}>
      <small>{label}</small>
      <LongText text={text} kind={kind} />
    </div>
  );
}

function Tools({ tools }: { tools: readonly ToolSpec[] }) {
  const { t } = useTraceWords();
  return (
    <section className={styles.message}>
      <h3>{t("trace.toolsHeading")}</h3>
      {tools.map(({ name, description, inputSchema }) => (
        <details key={name}>
          <summary>
            <code>{name}</code>
          </summary>
          <p>{description}</p>
          <LongText text={JSON.stringify(inputSchema, null, 2)} kind="code" />
        </details>
      ))}
    </section>
  );
}
