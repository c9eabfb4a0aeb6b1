import { Tabs } from "@base-ui/react/tabs";
import { useCallback, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { type AppError, toAppError } from "../../shared/errors.ts";
import type { Trip } from "../../shared/network.ts";
import type { TurnView } from "../../shared/views.ts";
import { CopyButton } from "../conversation/CopyButton.tsx";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { placeWords } from "../network/ledger-words.ts";
import { OverlayDialog } from "../shell/OverlayDialog.tsx";
import { LongText } from "./LongText.tsx";
import styles from "./SentDialog.module.css";
import { SentRequest } from "./SentRequest.tsx";
import { laidOut } from "./sent-request.ts";
import { useTraceWords } from "./trace-words.ts";

/** The overlay "sent": each request of a turn, exactly as the model got it. */
export function SentDialog() {
  const { t } = useTraceWords();
  const { layout } = useAssistant();
  const turnId = useStore(layout.store, (state) => state.sentTurn);
  return (
    <OverlayDialog title={t("trace.sent")} className={styles.popup}>
      <div className={styles.sent}>
        <p className={styles.about}>{t("trace.sentAbout")}</p>
        {turnId && <Turn turnId={turnId} />}
      </div>
    </OverlayDialog>
  );
}

function Turn({ turnId }: { turnId: string }) {
  const { t } = useTraceWords();
  const { host } = useAssistant();
  const reading = useReading(useCallback(() => host.call("turns.get", { turnId }), [host, turnId]));
  if (reading.state !== "read") return <NotYet reading={reading} />;
  const { value: view } = reading;
  return view.requests.length > 0 ? <Steps view={view} /> : <p>{t("trace.sentNothing")}</p>;
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
      <Sent
        key={number}
        turnId={view.turn.id}
        number={number}
        trip={view.requests.find((request) => request.number === number)?.trip}
      />
    </>
  );
}

type Waiting = { readonly state: "reading" } | { readonly state: "failed"; readonly error: AppError };
type Reading<T> = { readonly state: "read"; readonly value: T } | Waiting;

/** What is asked for, as far as it has come. */
function useReading<T>(read: () => Promise<T>): Reading<T> {
  const [reading, setReading] = useState<Reading<T>>({ state: "reading" });
  useEffect(() => {
    let isWanted = true;
    const show = (next: Reading<T>) => isWanted && setReading(next);
    read().then(
      (value) => show({ state: "read", value }),
      (thrown: unknown) => show({ state: "failed", error: toAppError(thrown) }),
    );
    return () => {
      isWanted = false;
    };
  }, [read]);
  return reading;
}

function NotYet({ reading }: { reading: Waiting }) {
  const { t } = useTraceWords();
  if (reading.state === "reading") return <p role="status">{t("trace.sentReading")}</p>;
  return (
    <p role="alert">
      {t(`problems.${reading.error.code}`)}. {reading.error.message}
    </p>
  );
}

interface SentProps {
  readonly turnId: string;
  readonly number: number;
  /** Absent: it stayed here. */
  readonly trip: Trip | undefined;
}

function Sent({ turnId, number, trip }: SentProps) {
  const { t } = useTraceWords();
  const { host } = useAssistant();
  const reading = useReading(useCallback(() => host.call("turns.sent", { turnId, number }), [host, turnId, number]));
  if (reading.state !== "read") return <NotYet reading={reading} />;
  const { sent } = reading.value;
  if (sent === null) return <p>{t("trace.sentGone")}</p>;
  return (
    <Tabs.Root className={styles.views} defaultValue="readable">
      {trip && <TripLine trip={trip} body={sent} />}
      <div className={styles.bar}>
        <Tabs.List className={styles.tabs} aria-label={t("trace.sent")}>
          <Tabs.Tab className={styles.tab} value="readable">
            {t("trace.readable")}
          </Tabs.Tab>
          <Tabs.Tab className={styles.tab} value="exact">
            {t(trip ? "trace.exactBody" : "trace.exact")}
          </Tabs.Tab>
        </Tabs.List>
        <CopyButton text={sent} />
      </div>
      <Tabs.Panel className={styles.panel} value="readable">
        <SentRequest json={sent} />
      </Tabs.Panel>
      <Tabs.Panel className={styles.panel} value="exact">
        <LongText text={trip ? sent : laidOut(sent)} kind="code" />
      </Tabs.Panel>
    </Tabs.Root>
  );
}

/** Where it went, and whether the body that is shown weighs what the ledger counted. */
function TripLine({ trip, body }: { trip: Trip; body: string }) {
  const { t } = useTraceWords();
  const bytes = useMemo(() => new TextEncoder().encode(body).length, [body]);
  const { host, place, bodyOut } = trip;
  return (
    <p className={styles.trip} data-agrees={bytes === bodyOut}>
      {t("network.bodyTo", { host: visibleText(host), place: t(placeWords[place]) })}{" "}
      {bytes === bodyOut
        ? t("network.bodyAgrees", { count: bytes })
        : t("network.bodyDiffers", { bytes, counted: bodyOut })}
    </p>
  );
}
