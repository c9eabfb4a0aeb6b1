import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ModelFacts } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./FileChooser.module.css";
import { FileFacts } from "./FileFacts.tsx";

/** A model file of one's own, explained before it is used: picked in a dialog of the system, or where there is none (a browser) by its path. */
export function FileChooser() {
  const { host, models } = useAssistant();
  const { t } = useTranslation();
  const [isTyping, setTyping] = useState(false);
  const [facts, setFacts] = useState<ModelFacts>();
  const dropped = useStore(models.store, (state) => state.dropped);

  async function choose(): Promise<void> {
    const { supported, path } = await host
      .call("shell.pickFile", { kind: "model" })
      .catch(() => ({ supported: false, path: null })); // then the path can still be typed
    if (!supported) setTyping(true);
    else if (path !== null) setFacts(await models.explain(path));
  }

  function close(): void {
    models.clearProblem();
    models.forgetDropped();
    setTyping(false);
    setFacts(undefined);
  }

  const known = facts ?? dropped?.facts;
  if (known) return <FileFacts facts={known} onDone={close} />;
  if (isTyping || dropped) return <PathForm onDone={close} onFacts={setFacts} />;
  return (
    <button type="button" onClick={() => void choose()}>
      {t("models.useFile")}
    </button>
  );
}

function PathForm({ onDone, onFacts }: { onDone: () => void; onFacts: (facts: ModelFacts) => void }) {
  const { models } = useAssistant();
  const { t } = useTranslation();
  const dropped = useStore(models.store, (state) => state.dropped?.name);
  const [path, setPath] = useState("");
  const [isBusy, setBusy] = useState(false);
  const id = useId();

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    const facts = await models.explain(path.trim());
    setBusy(false);
    if (!facts) return;
    onDone();
    onFacts(facts);
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event) => void submit(event)}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation(); // a dialog around it stays open
        onDone();
      }}
    >
      <label htmlFor={id}>
        {t("models.path")}
        {dropped && <small>{t("models.pathOf", { name: visibleText(dropped) })}</small>}
      </label>
      <input
        id={id}
        // biome-ignore lint/a11y/noAutofocus: it was asked for just now
        autoFocus
        spellCheck={false}
        autoComplete="off"
        placeholder={t("models.pathExample")}
        value={path}
        onChange={({ target }) => setPath(target.value)}
      />
      <button type="submit" disabled={isBusy || path.trim() === ""}>
        {t(isBusy ? "models.usingPath" : "models.usePath")}
      </button>
      <button type="button" className="ghost" onClick={onDone}>
        {t("models.cancel")}
      </button>
    </form>
  );
}
