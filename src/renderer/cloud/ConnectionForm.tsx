import { type FormEvent, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { VaultState, VendorId, VendorView } from "../../shared/cloud.ts";
import type { AppError } from "../../shared/errors.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./Cloud.module.css";
import { Field, Problem } from "./Field.tsx";
import { useAttempt } from "./use-attempt.ts";
import { keptIn } from "./vault-words.ts";

interface FormProps {
  readonly vendors: readonly VendorView[];
  readonly vault: VaultState;
  onDone(connectionId: string): void;
  onCancel?(): void;
}

const MAX_NAME = 80;

/** Who answers, where, and the key. What was typed as the key leaves the page with the form and never comes back. */
export function ConnectionForm({ vendors, vault, onDone, onCancel }: FormProps) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const key = useRef<HTMLInputElement>(null);
  const [who, setWho] = useState<Who>({ vendor: "openai", name: null, address: "" });
  const vendor = vendors.find(({ id }) => id === who.vendor);
  const wrong = wrongField(problem);

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const typed = key.current?.value ?? "";
    const connection = await attempt(() =>
      host.call("cloud.connect", {
        vendor: who.vendor,
        name: nameOf(who, vendor),
        ...(who.vendor === "custom" && { baseUrl: who.address }),
        ...(typed !== "" && { key: typed }),
      }),
    );
    if (connection) onDone(connection.id);
  }

  return (
    <form className={styles.form} onSubmit={(event) => void submit(event)}>
      <WhoAnswers
        vendors={vendors}
        who={who}
        wrongAddress={wrong === "address" ? says(problem) : undefined}
        onChange={setWho}
      />
      <Field
        label={t(vendor?.needsKey ? "cloud.key" : "cloud.keyOptional")}
        help={[...(vendor?.keyPage ? [t("cloud.keyFrom", { page: vendor.keyPage })] : []), keptIn(vault, t)].join(
          " · ",
        )}
        wrong={wrong === "key" ? says(problem) : undefined}
      >
        {(tied) => (
          <input
            {...tied}
            ref={key}
            type="password"
            spellCheck={false}
            autoComplete="off"
            required={vendor?.needsKey}
          />
        )}
      </Field>
      {wrong === undefined && <Problem problem={problem} />}
      <div className={styles.steps}>
        <button type="submit" className="primary" disabled={isBusy}>
          {t(isBusy ? "cloud.connecting" : "cloud.connect")}
        </button>
        {onCancel && (
          <button type="button" className="ghost" onClick={onCancel}>
            {t("cloud.cancel")}
          </button>
        )}
      </div>
    </form>
  );
}

interface Who {
  readonly vendor: VendorId;
  /** null: as the vendor, or the host, is called. */
  readonly name: string | null;
  readonly address: string;
}

/** What a connection is called: never nothing. */
function nameOf({ name, vendor, address }: Who, view: VendorView | undefined): string {
  const usual = vendor === "custom" ? hostIn(address) : view?.name;
  return (name?.trim() || usual || address.trim() || vendor).slice(0, MAX_NAME);
}

interface WhoProps {
  readonly vendors: readonly VendorView[];
  readonly who: Who;
  readonly wrongAddress: string | undefined;
  onChange(who: Who): void;
}

function WhoAnswers({ vendors, who, wrongAddress, onChange }: WhoProps) {
  const { t } = useTranslation();
  const vendor = vendors.find(({ id }) => id === who.vendor);
  const isCustom = who.vendor === "custom";
  return (
    <>
      <Field label={t("cloud.vendor")}>
        {(tied) => (
          <select
            {...tied}
            value={who.vendor}
            onChange={({ target }) => onChange({ ...who, vendor: target.value as VendorId })}
          >
            {vendors.map(({ id, name }) => (
              <option key={id} value={id}>
                {id === "custom" ? t("cloud.another") : name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {isCustom && (
        <Field label={t("cloud.address")} help={t("cloud.addressHelp")} wrong={wrongAddress}>
          {(tied) => (
            <input
              {...tied}
              required
              spellCheck={false}
              autoComplete="off"
              placeholder={t("cloud.addressExample")}
              value={who.address}
              onChange={({ target }) => onChange({ ...who, address: target.value })}
            />
          )}
        </Field>
      )}
      <Field label={t("cloud.name")}>
        {(tied) => (
          <input
            {...tied}
            autoComplete="off"
            maxLength={MAX_NAME}
            placeholder={isCustom ? hostIn(who.address) : vendor?.name}
            value={who.name ?? ""}
            onChange={({ target }) => onChange({ ...who, name: target.value })}
          />
        )}
      </Field>
    </>
  );
}

/** What stands at the field, in place of a line under the form. */
const says = (problem: AppError | null): string => visibleText(problem?.message ?? "");

/** Which field a refusal is about; undefined: none of them. */
function wrongField(problem: AppError | null): "key" | "address" | undefined {
  if (problem?.code === "address-refused") return "address";
  if (problem?.code !== "bad-request") return undefined;
  return /address/i.test(problem.message) ? "address" : "key";
}

function hostIn(address: string): string {
  return URL.canParse(address) ? new URL(address).host : "";
}
