import { type ReactNode, useEffect, useId, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Leaving } from "../../shared/cloud.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { linkedPreset, useModel } from "../models/chat-model.ts";
import { placeWords } from "../network/ledger-words.ts";
import { focusComposer } from "../shell/places.ts";
import type { Chat } from "../stores/chat.ts";
import type { Consent } from "./consent.ts";
import styles from "./LeavingLine.module.css";

interface LineProps {
  readonly chat: Chat;
  readonly consent: Consent;
}

/** Over the box, where the chat's model is not on this computer: why it cannot answer, or what will leave once it is allowed. */
export function LeavingLine({ chat, consent }: LineProps) {
  const { t } = useTranslation();
  const { cloud, settings } = useAssistant();
  const linked = linkedPreset(useStore(cloud.store).overview, useModel(chat));
  const isShut = useStore(settings.store, (state) => state.settings.localMode);
  const isNever = useStore(chat.store, (state) => state.chat?.neverCloud ?? false);
  const { leaving, isKept } = useStore(consent.store);
  if (!linked) return isKept ? <p className={styles.kept}>{t("cloud.keptLocal")}</p> : null;
  const { connection, preset } = linked;
  if (connection.place === "this-computer") return null;
  const isAsked = leaving?.connectionId === connection.id;
  const who = { name: visibleText(preset.name), host: connection.host };
  if (isNever) {
    return (
      <Line consent={consent} title={t("cloud.neverTitle")} text={t("cloud.neverAbout", who)} isAsked={isAsked}>
        <button type="button" className="ghost" onClick={() => void unmark()}>
          {t("cloud.unmark")}
        </button>
      </Line>
    );
  }
  if (isShut) {
    return (
      <Line consent={consent} title={t("cloud.shutTitle")} text={t("cloud.shutAbout", who)} isAsked={isAsked}>
        <button type="button" onClick={() => void consent.openDoor()}>
          {t("cloud.turnOff")}
        </button>
      </Line>
    );
  }
  if (!isAsked || leaving.allowed) return null;
  return (
    <Line consent={consent} title={t("cloud.leavesTitle")} text={<Cargo leaving={leaving} />} isAsked>
      <button type="button" className="primary" onClick={() => void consent.allow()}>
        {t("cloud.send")}
      </button>
    </Line>
  );

  async function unmark(): Promise<void> {
    await cloud.setMark({ kind: "chat", ref: chat.id }, false);
  }
}

interface FrameProps {
  readonly consent: Consent;
  readonly title: string;
  readonly text: ReactNode;
  /** The person has just wanted to send something: it is read to them, and Tab leads into it. */
  readonly isAsked: boolean;
  readonly children: ReactNode;
}

/** What it says, the way to stay on this computer, and the other way. The focus is never on a button that sends. */
function Line({ consent, title, text, isAsked, children }: FrameProps) {
  const { t } = useTranslation();
  const [heading, words] = [useId(), useId()];
  const line = useRef<HTMLElement>(null);
  useEffect(() => {
    if (isAsked) line.current?.focus();
  }, [isAsked]);
  return (
    <section
      ref={line}
      tabIndex={-1}
      className={styles.line}
      aria-labelledby={heading}
      aria-describedby={words}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.preventDefault(); // else it would stop an answer
        consent.leave();
        focusComposer();
      }}
    >
      <h2 id={heading} className={styles.title}>
        {title}
      </h2>
      <p id={words} className={styles.text}>
        {text}
      </p>
      <div className={styles.steps}>
        <button type="button" onClick={() => void consent.keepLocal().then(focusComposer)}>
          {t("cloud.keepLocal")}
        </button>
        {children}
      </div>
    </section>
  );
}

const NAMED = 3;

/** What will leave, in a sentence: how much, by name, what stays, and to whom. */
function Cargo({ leaving }: { leaving: Leaving }) {
  const { t, i18n } = useTranslation();
  const { messages, documents, images, gaps, name, host, place } = leaving;
  const named = documents.slice(0, NAMED).map((path) => `“${visibleText(path)}”`);
  const more = documents.length - named.length;
  const gap = i18n.language === "zh-CN" ? "" : " ";
  const what = new Intl.ListFormat(i18n.language).format([
    t("network.messages", { count: messages }),
    ...named,
    ...(more > 0 ? [t("cloud.moreDocuments", { count: more })] : []),
    ...(images > 0 ? [t("network.images", { count: images })] : []),
  ]);
  return (
    <>
      {t("cloud.leavesWhat", { what })} <b>{visibleText(name)}</b>
      {gap}
      {t("cloud.leavesWhere", { host, place: t(placeWords[place]) })}
      {gap}
      {gaps > 0 && `${t("cloud.leavesGaps", { count: gaps })}${gap}`}
      {t("cloud.leavesOn")}
    </>
  );
}
