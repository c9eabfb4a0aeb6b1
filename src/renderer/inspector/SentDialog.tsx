import { Dialog } from "@base-ui/react/dialog";
import { Tabs } from "@base-ui/react/tabs";
import { X } from "lucide-react";
import { useEffect, useState } from "react";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { TurnView } from "../../shared/views.ts";
import { CopyButton } from "../conversation/CopyButton.tsx";
import { useAssistant } from "../lib/assistant.tsx";
import { LongText } from "./LongText.tsx";
import styles from "./SentDialog.module.css";
import { SentRequest } from "./SentRequest.tsx";
import { laidOut } from "./sent-request.ts";
import { useTraceWords } from "./trace-words.ts";

/** A button and its dialog: each request of a turn, exactly as the model got it. */
export function SentDialog({ view }: { view: TurnView }) {
  const { t } = useTraceWords();
  return (
    <Dialog.Root>
      <Dialog.Trigger>{t("trace.sent")}</Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.popup}>
          <header className={styles.header}>
            <div>
              <Dialog.Title className={styles.title}>{t("trace.sent")}</Dialog.Title>
              <Dialog.Description className={styles.about}>{t("trace.sentAbout")}</Dialog.Description>
            </div>
            <Dialog.Close className="ghost" aria-label={t("app.close")}>
              <X size={16} aria-hidden />
            </Dialog.Close>
          </header>
          {view.requests.length > 0 ? <Steps view={view} /> : <p>{t("trace.sentNothing")}</p>}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Steps({ view }: { view: TurnView }) {
  const { t } = useTraceWords();
  const numbers = view.requests.map(({ number }) => number).sort((one, other) => one - other);
  const [number, setNumber] = useState(numbers[0] ?? 1);
  return (
    <>
      {numbers.length > 1 && (
        <label className={styles.picker}>
          {t("trace.stepPicker")}
          <select value={number} onChange={({ target }) => setNumber(Number(target.value))}>
            {numbers.map((one) => (
              <option key={one} value={one}>
                {t("trace.step", { number: one })}
              </option>
            ))}
          </select>
        </label>
      )}
      <Sent key={number} turnId={view.turn.id} number={number} />
    </>
  );
}

type Reading = { readonly state: "reading" } | { readonly state: "read"; readonly sent: string | null } | AppError;

function useSent(turnId: string, number: number): Reading {
  const { host } = useAssistant();
  const [reading, setReading] = useState<Reading>({ state: "reading" });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Reading) => isWanted && setReading(next);
    host.call("turns.sent", { turnId, number }).then(
      ({ sent }) => show({ state: "read", sent }),
      (thrown: unknown) => show(toAppError(thrown)),
    );
    return () => {
      isWanted = false;
    };
  }, [host, turnId, number]);
  return reading;
}

function Sent({ turnId, number }: { turnId: string; number: number }) {
  const { t } = useTraceWords();
  const reading = useSent(turnId, number);
  if (reading instanceof Error) {
    return (
      <p role="alert">
        {t(`problems.${reading.code}`)}. {reading.message}
      </p>
    );
  }
  if (reading.state === "reading") return <p role="status">{t("trace.sentReading")}</p>;
  const { sent } = reading;
  if (sent === null) return <p>{t("trace.sentGone")}</p>;
  return (
    <Tabs.Root className={styles.views} defaultValue="readable">
      <div className={styles.bar}>
        <Tabs.List className={styles.tabs} aria-label={t("trace.sent")}>
          <Tabs.Tab className={styles.tab} value="readable">
            {t("trace.readable")}
          </Tabs.Tab>
          <Tabs.Tab className={styles.tab} value="exact">
            {t("trace.exact")}
          </Tabs.Tab>
        </Tabs.List>
        <CopyButton text={sent} />
      </div>
      <Tabs.Panel className={styles.panel} value="readable">
        <SentRequest json={sent} />
      </Tabs.Panel>
      <Tabs.Panel className={styles.panel} value="exact">
        <LongText text={laidOut(sent)} kind="code" />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
