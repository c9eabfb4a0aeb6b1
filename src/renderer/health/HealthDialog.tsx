import { CircleAlert, CircleCheck, CircleHelp, CircleX } from "lucide-react";
import { useEffect } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { ErrorCode } from "../../shared/errors.ts";
import type { Backup, HealthItem, HealthReport, Rescue } from "../../shared/health.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { toasts } from "../lib/toasts.ts";
import { OverlayDialog } from "../shell/OverlayDialog.tsx";
import styles from "./HealthDialog.module.css";

const itemWords = {
  storage: "care.itemStorage",
  integrity: "care.itemIntegrity",
  rows: "care.itemRows",
  search: "care.itemSearch",
  backup: "care.itemBackup",
  rescue: "care.itemRescue",
  space: "care.itemSpace",
  engine: "care.itemEngine",
} as const satisfies Record<HealthItem["id"], string>;

const stateWords = {
  good: "care.stateGood",
  attention: "care.stateAttention",
  bad: "care.stateBad",
  unknown: "care.stateUnknown",
} as const satisfies Record<HealthItem["state"], string>;

const stateIcons = {
  good: CircleCheck,
  attention: CircleAlert,
  bad: CircleX,
  unknown: CircleHelp,
} as const satisfies Record<HealthItem["state"], typeof CircleCheck>;

/** What a person can do: by what is wrong where that says more, else by what was looked at. */
const stepsByCode = {
  "disk-full": "care.doFreeSpace",
  "disk-error": "care.doCheckDisk",
  "data-read-only": "care.doAllowWriting",
  "data-newer": "care.doUpdate",
  "data-busy": "care.doCloseOther",
} as const satisfies Partial<Record<ErrorCode, string>>;

const stepsById = {
  storage: "care.doRestart",
  integrity: "care.doRestart",
  rows: "care.doRestart",
  search: "care.doCheckAgain",
  backup: "care.doBackUp",
  rescue: "care.doKeepFile",
  space: "care.doFreeSpace",
  engine: "care.doOtherModel",
} as const satisfies Record<HealthItem["id"], string>;

const backupWords = {
  daily: "care.backupDaily",
  weekly: "care.backupWeekly",
  "before-migration": "care.backupMigration",
  "by-hand": "care.backupByHand",
} as const satisfies Record<Backup["kind"], string>;

/** What was looked at, when, what is wrong, and what can be done. */
export function HealthDialog() {
  const { t } = useTranslation();
  const { health } = useAssistant();
  const report = useStore(health.store, (state) => state.report);
  const problem = useStore(health.store, (state) => state.problem);
  useEffect(() => void health.read(), [health]);
  return (
    <OverlayDialog title={t("care.health")}>
      <div className={styles.body}>
        {problem && (
          <p className={styles.problem} role="alert">
            {t(`problems.${problem.code}`)}: <span lang="en">{visibleText(problem.message)}</span>
          </p>
        )}
        {report && <Report report={report} />}
      </div>
    </OverlayDialog>
  );
}

function Report({ report }: { report: HealthReport }) {
  const { t, i18n } = useTranslation();
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  const { messages, databaseBytes, freeBytes, versions } = report;
  return (
    <>
      <Actions isChecking={report.checking} />
      <ul className={styles.items}>
        {report.items.map((item) => (
          <Item key={item.id} item={item} />
        ))}
      </ul>
      <Rescues rescues={report.rescues} />
      <h3 className={styles.heading}>{t("care.backups")}</h3>
      <Backups backups={report.backups} />
      <footer className={styles.foot}>
        <p>
          {t("care.facts", {
            messages: number.format(messages),
            size: number.format(databaseBytes / 1e6),
            free: number.format(freeBytes / 1e6),
          })}
        </p>
        <p>{t("care.versions", versions)}</p>
        <p className={styles.path}>{report.dataFolder}</p>
      </footer>
    </>
  );
}

function Actions({ isChecking }: { isChecking: boolean }) {
  const { t } = useTranslation();
  const { health } = useAssistant();

  async function copy(): Promise<void> {
    const text = await health.diagnostics();
    if (text === null) return;
    const isCopied = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    toasts.add({ title: t(isCopied ? "care.diagnosticsCopied" : "care.copyFailed") });
  }

  return (
    <div className={styles.actions}>
      <button type="button" className="primary" disabled={isChecking} onClick={() => void health.check()}>
        {t(isChecking ? "care.checking" : "care.checkNow")}
      </button>
      <button type="button" disabled={isChecking} onClick={() => void health.backUp()}>
        {t("care.backUpNow")}
      </button>
      <button type="button" className="ghost" onClick={() => void copy()}>
        {t("care.copyDiagnostics")}
      </button>
    </div>
  );
}

function Item({ item }: { item: HealthItem }) {
  const { id, state, at, details } = item;
  const { t } = useTranslation();
  const when = useWhen();
  const Icon = stateIcons[state];
  return (
    <li className={styles.item} data-state={state}>
      <Icon size={15} aria-hidden className={styles.icon} />
      <b>{t(itemWords[id])}</b>
      <span className={styles.state}>{t(stateWords[state])}</span>
      {at !== undefined && <small className={styles.when}>{t("care.lookedAt", { time: when(at) })}</small>}
      {details.map((detail) => (
        <p key={detail} className={styles.detail} lang="en">
          {visibleText(detail)}
        </p>
      ))}
      {(state === "attention" || state === "bad") && <p className={styles.todo}>{t(nextStepOf(item))}</p>}
    </li>
  );
}

function nextStepOf({ id, code }: HealthItem) {
  if (code && Object.hasOwn(stepsByCode, code)) return stepsByCode[code as keyof typeof stepsByCode];
  return stepsById[id];
}

/** Damaged files that were set aside: nothing of them is ever deleted. */
function Rescues({ rescues }: { rescues: readonly Rescue[] }) {
  const { t, i18n } = useTranslation();
  const when = useWhen();
  const number = new Intl.NumberFormat(i18n.language);
  if (rescues.length === 0) return null;
  return (
    <>
      <h3 className={styles.heading}>{t("care.rescues")}</h3>
      <ul className={styles.rescues}>
        {rescues.map(({ at, keptAs, recovered, total }) => (
          <li key={keptAs}>
            <span>{when(at)}</span>
            <span>{t("care.recovered", { recovered: number.format(recovered), total: number.format(total) })}</span>
            <small className={styles.path}>{t("care.keptAs", { path: visibleText(keptAs) })}</small>
          </li>
        ))}
      </ul>
    </>
  );
}

function Backups({ backups }: { backups: readonly Backup[] }) {
  const { t, i18n } = useTranslation();
  const when = useWhen();
  const number = new Intl.NumberFormat(i18n.language, { maximumFractionDigits: 1 });
  if (backups.length === 0) return <p className={styles.none}>{t("care.noBackups")}</p>;
  return (
    <ul className={styles.backups}>
      {backups.map(({ name, kind, at, bytes }) => (
        <li key={name} title={name}>
          <span>{when(at)}</span>
          <small>{t(backupWords[kind])}</small>
          <small>{t("care.megabytes", { value: number.format(bytes / 1e6) })}</small>
        </li>
      ))}
    </ul>
  );
}

/** A moment with its date and time. */
function useWhen(): (moment: number) => string {
  const { i18n } = useTranslation();
  const format = new Intl.DateTimeFormat(i18n.language, { dateStyle: "medium", timeStyle: "short" });
  return (moment) => format.format(moment);
}
