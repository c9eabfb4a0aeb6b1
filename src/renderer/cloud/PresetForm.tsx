import { type FormEvent, useEffect, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { type CloudPreset, type ConnectionView, modelOfPreset, type OfferedModel } from "../../shared/cloud.ts";
import { type Assistant, useAssistant } from "../lib/assistant.tsx";
import styles from "./Cloud.module.css";
import { Field, Problem } from "./Field.tsx";
import { draftOf, type PresetDraft, presetFrom, presetRanges, type WrongField, withModel } from "./preset-draft.ts";
import { useAttempt } from "./use-attempt.ts";

interface FormProps {
  readonly connection: ConnectionView;
  /** Absent: a new one. */
  readonly preset?: CloudPreset;
  /** Local mode keeps the other side from being asked. */
  readonly isShut: boolean;
  onDone(): void;
}

const reasonings = {
  off: "cloud.reasoningOff",
  low: "cloud.reasoningLow",
  medium: "cloud.reasoningMedium",
  high: "cloud.reasoningHigh",
} as const satisfies Record<NonNullable<CloudPreset["reasoning"]>, string>;

/** A model of a connection with its parameters, under a name. */
export function PresetForm({ connection, preset, isShut, onDone }: FormProps) {
  const { t } = useTranslation();
  const assistant = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const [draft, setDraft] = useState(() => draftOf(preset));
  const [wrong, setWrong] = useState<readonly WrongField[]>([]);
  const change = (part: Partial<PresetDraft>) => setDraft((now) => ({ ...now, ...part }));

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    const read = presetFrom(draft);
    setWrong("wrong" in read ? read.wrong : []);
    if ("wrong" in read) return;
    const whole = { ...read.preset, connectionId: connection.id, ...(preset && { id: preset.id }) };
    const saved = await attempt(() => assistant.host.call("cloud.savePreset", { preset: whole }));
    if (!saved) return;
    await useIfOnly(assistant, saved);
    onDone();
  }

  return (
    <form className={styles.form} noValidate onSubmit={(event) => void submit(event)}>
      <ModelName connection={connection} isShut={isShut} draft={draft} wrong={wrong} onChange={setDraft} />
      <Field label={t("cloud.name")}>
        {(tied) => (
          <input
            {...tied}
            autoComplete="off"
            maxLength={80}
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <div className={styles.pair}>
        <Figure field="window" label={t("cloud.window")} {...{ draft, wrong, change }} />
        <Figure field="maxOutputTokens" label={t("cloud.longest")} {...{ draft, wrong, change }} />
        <Figure
          field="temperature"
          label={t("cloud.temperature")}
          placeholder={t("cloud.temperatureUnset")}
          {...{ draft, wrong, change }}
        />
        <Field label={t("cloud.reasoning")}>
          {(tied) => (
            <select
              {...tied}
              value={draft.reasoning}
              onChange={({ target }) => change({ reasoning: target.value as PresetDraft["reasoning"] })}
            >
              <option value="">{t("cloud.reasoningUnset")}</option>
              {Object.entries(reasonings).map(([value, word]) => (
                <option key={value} value={value}>
                  {t(word)}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <label className={styles.tick}>
        <input type="checkbox" checked={draft.tools} onChange={({ target }) => change({ tools: target.checked })} />
        {t("cloud.callsTools")}
      </label>
      <label className={styles.tick}>
        <input type="checkbox" checked={draft.vision} onChange={({ target }) => change({ vision: target.checked })} />
        {t("cloud.readsImages")}
      </label>
      <Problem problem={problem} />
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

/** The only model there is is what new chats use. */
async function useIfOnly({ settings, models }: Assistant, saved: CloudPreset): Promise<void> {
  const isHere = models.store.getState().cards.some(({ state }) => state === "here");
  const isChosen = settings.store.getState().settings.model !== undefined;
  if (!isHere && !isChosen) await settings.change({ model: modelOfPreset(saved.id) });
}

interface NameProps {
  readonly connection: ConnectionView;
  readonly isShut: boolean;
  readonly draft: PresetDraft;
  readonly wrong: readonly WrongField[];
  onChange(draft: PresetDraft): void;
}

/** The vendor's name of a model: from its own list where that can be had, and typed in any case. */
function ModelName({ connection, isShut, draft, wrong, onChange }: NameProps) {
  const { t } = useTranslation();
  const list = useId();
  const { offered, help, problem } = useOffered(connection, isShut);
  return (
    <>
      <Field
        label={t("cloud.modelId")}
        help={help ?? t("cloud.modelIdHelp")}
        wrong={wrong.includes("model") ? t("cloud.needed") : undefined}
      >
        {(tied) => (
          <input
            {...tied}
            list={list}
            spellCheck={false}
            autoComplete="off"
            maxLength={200}
            value={draft.model}
            onChange={({ target }) => onChange(withModel(draft, target.value, offered))}
          />
        )}
      </Field>
      <datalist id={list}>
        {offered.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </datalist>
      <Problem problem={problem} />
    </>
  );
}

/** What the connection offers; it is asked when the form is opened, unless Local mode forbids it. */
function useOffered({ id }: ConnectionView, isShut: boolean) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const { problem, isBusy, attempt } = useAttempt();
  const [offered, setOffered] = useState<readonly OfferedModel[] | null>(null);
  useEffect(() => {
    if (isShut) return;
    void attempt(async () => setOffered((await host.call("cloud.models", { connectionId: id })).models));
  }, [host, id, isShut]);
  const words = [
    isBusy ? t("cloud.modelsAsking") : undefined,
    problem ? t("cloud.modelsFailed") : undefined,
    offered ? t("cloud.modelsOffered", { count: offered.length }) : undefined,
  ];
  return { offered: offered ?? [], problem, help: words.find((word) => word !== undefined) };
}

interface FigureProps {
  readonly field: keyof typeof presetRanges;
  readonly label: string;
  readonly placeholder?: string;
  readonly draft: PresetDraft;
  readonly wrong: readonly WrongField[];
  change(part: Partial<PresetDraft>): void;
}

function Figure({ field, label, placeholder, draft, wrong, change }: FigureProps) {
  const { t } = useTranslation();
  const { from, to } = presetRanges[field];
  return (
    <Field label={label} wrong={wrong.includes(field) ? t("cloud.wrongNumber", { from, to }) : undefined}>
      {(tied) => (
        <input
          {...tied}
          inputMode="decimal"
          autoComplete="off"
          placeholder={placeholder}
          value={draft[field]}
          onChange={({ target }) => change({ [field]: target.value })}
        />
      )}
    </Field>
  );
}
