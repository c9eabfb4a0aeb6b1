import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ConnectionView } from "../../shared/cloud.ts";
import type { WireError } from "../../shared/errors.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { placeWords } from "../network/ledger-words.ts";
import styles from "./Cloud.module.css";
import { Field, Problem } from "./Field.tsx";
import { PresetForm } from "./PresetForm.tsx";
import { PresetLine } from "./PresetLine.tsx";
import { ShutDoor } from "./ShutDoor.tsx";
import { useAttempt } from "./use-attempt.ts";

const keyWords = {
  none: "cloud.keyNone",
  kept: "cloud.keyKept",
  locked: "cloud.keyLocked",
  unreadable: "cloud.keyUnreadable",
} as const satisfies Record<ConnectionView["key"], string>;

/** What is folded out in a card: one thing at a time. */
type Open = "key" | "remove" | "model" | null;

/** A connection: where it leads, whether there is a key, its models, and what can be done with it. */
export function ConnectionCard({ connection, isFresh }: { connection: ConnectionView; isFresh: boolean }) {
  const { t } = useTranslation();
  const { cloud, settings } = useAssistant();
  const { id, name, host, place, key } = connection;
  const [open, setOpen] = useState<Open>(isFresh ? "model" : null);
  const presets = useStore(cloud.store, (state) => state.overview.presets);
  const isLocalMode = useStore(settings.store, (state) => state.settings.localMode);
  const isShut = isLocalMode && place !== "this-computer";
  const own = presets.filter(({ connectionId }) => connectionId === id);
  const close = () => setOpen(null);
  const called = visibleText(name);
  const button = (step: NonNullable<Open>, action: string) => (
    <button
      type="button"
      aria-expanded={open === step}
      aria-label={t("cloud.named", { action, name: called })}
      onClick={() => setOpen(open === step ? null : step)}
    >
      {action}
    </button>
  );
  return (
    <article className={styles.card} aria-label={called}>
      <h4>{called}</h4>
      <small>
        {t("cloud.hostIn", { host, place: t(placeWords[place]) })} ·{" "}
        <span className={styles.key} data-key={key}>
          {t(keyWords[key])}
        </span>
      </small>
      {isShut && <ShutDoor />}
      <div className={styles.steps}>
        {!isShut && <Test connection={connection} />}
        {button("key", t("cloud.newKey"))}
        {button("remove", t("cloud.remove"))}
      </div>
      {open === "key" && <NewKey connection={connection} onDone={close} />}
      {open === "remove" && <Remove connection={connection} onDone={close} />}
      <ul className={styles.presets} aria-label={t("cloud.models")}>
        {own.map((preset) => (
          <PresetLine key={preset.id} preset={preset} connection={connection} isShut={isShut} />
        ))}
      </ul>
      {open === "model" ? (
        <PresetForm connection={connection} isShut={isShut} onDone={close} />
      ) : (
        button("model", t("cloud.addModel"))
      )}
    </article>
  );
}

/** Asks the other side; on failure in its own words. */
function Test({ connection: { id, name } }: { connection: ConnectionView }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const [tested, setTested] = useState<{ ok: boolean; error?: WireError | undefined } | null>(null);
  const action = t(isBusy ? "cloud.testing" : "cloud.testKey");
  const test = async () => setTested((await attempt(() => host.call("cloud.test", { connectionId: id }))) ?? null);
  return (
    <>
      <button
        type="button"
        disabled={isBusy}
        aria-label={t("cloud.named", { action, name: visibleText(name) })}
        onClick={() => void test()}
      >
        {action}
      </button>
      {tested?.ok && (
        <span role="status" className={styles.good}>
          {t("cloud.testGood")}
        </span>
      )}
      <Problem problem={problem ?? tested?.error ?? null} />
    </>
  );
}

function NewKey({ connection: { id }, onDone }: { connection: ConnectionView; onDone: () => void }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const field = useRef<HTMLInputElement>(null);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const key = field.current?.value ?? "";
    if (await attempt(() => host.call("cloud.setKey", { connectionId: id, key }))) onDone();
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <Field label={t("cloud.key")} wrong={problem ? visibleText(problem.message) : undefined}>
        {(tied) => <input {...tied} ref={field} type="password" spellCheck={false} autoComplete="off" required />}
      </Field>
      <div className={styles.steps}>
        <button type="submit" className="primary" disabled={isBusy}>
          {t("cloud.save")}
        </button>
        <button type="button" className="ghost" onClick={onDone}>
          {t("cloud.cancel")}
        </button>
      </div>
    </form>
  );
}

function Remove({ connection: { id, name }, onDone }: { connection: ConnectionView; onDone: () => void }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  return (
    <div className={styles.form}>
      <p className={styles.about}>{t("cloud.removeAsk", { name: visibleText(name) })}</p>
      <Problem problem={problem} />
      <div className={styles.steps}>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void attempt(() => host.call("cloud.disconnect", { connectionId: id }))}
        >
          {t("cloud.remove")}
        </button>
        <button type="button" className="ghost" onClick={onDone}>
          {t("cloud.cancel")}
        </button>
      </div>
    </div>
  );
}
