import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { VaultState, VaultTier } from "../../shared/cloud.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./Cloud.module.css";
import { Field, Problem } from "./Field.tsx";
import { useAttempt } from "./use-attempt.ts";
import { keptIn, tierWords } from "./vault-words.ts";

/** Where keys are kept, why not better, and the way to change it or to open it. */
export function VaultPart() {
  const { t } = useTranslation();
  const { cloud } = useAssistant();
  const vault = useStore(cloud.store, (state) => state.overview.vault);
  return (
    <section className={styles.part}>
      <h3>{t("cloud.keys")}</h3>
      <p className={styles.about}>
        {keptIn(vault, t)}
        {vault.reason !== undefined && <span lang="en"> {visibleText(vault.reason)}</span>}
      </p>
      {vault.locked && <Unlock vault={vault} />}
      {vault.available.length > 1 && <Choose key={vault.tier} vault={vault} />}
    </section>
  );
}

function Unlock({ vault }: { vault: VaultState }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const field = useRef<HTMLInputElement>(null);

  function submit(event: FormEvent): void {
    event.preventDefault();
    const passphrase = field.current?.value;
    void attempt(() => host.call("vault.unlock", { ...(passphrase !== undefined && { passphrase }) }));
  }

  return (
    <form className={styles.form} onSubmit={submit}>
      <p className={styles.shut}>{t("cloud.locked")}</p>
      {vault.tier === "passphrase" && (
        <Field label={t("cloud.passphrase")} wrong={problem ? visibleText(problem.message) : undefined}>
          {(tied) => <input {...tied} ref={field} type="password" autoComplete="off" required />}
        </Field>
      )}
      {vault.tier !== "passphrase" && <Problem problem={problem} />}
      <div className={styles.steps}>
        <button type="submit" className="primary" disabled={isBusy}>
          {t("cloud.unlock")}
        </button>
      </div>
    </form>
  );
}

function Choose({ vault }: { vault: VaultState }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const field = useRef<HTMLInputElement>(null);
  const [tier, setTier] = useState(vault.tier);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const passphrase = field.current?.value;
    await attempt(() => host.call("vault.choose", { tier, ...(passphrase !== undefined && { passphrase }) }));
    if (field.current) field.current.value = "";
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <Field label={t("cloud.tierChoose")}>
        {(tied) => (
          <select {...tied} value={tier} onChange={({ target }) => setTier(target.value as VaultTier)}>
            {vault.available.map((one) => (
              <option key={one} value={one}>
                {t(tierWords[one])}
              </option>
            ))}
          </select>
        )}
      </Field>
      {tier === "passphrase" && tier !== vault.tier && (
        <Field label={t("cloud.passphrase")} help={t("cloud.passphraseHelp")}>
          {(tied) => <input {...tied} ref={field} type="password" autoComplete="off" required />}
        </Field>
      )}
      <Problem problem={problem} />
      {tier !== vault.tier && (
        <div className={styles.steps}>
          <button type="submit" disabled={isBusy}>
            {t("cloud.tierUse")}
          </button>
        </div>
      )}
    </form>
  );
}
