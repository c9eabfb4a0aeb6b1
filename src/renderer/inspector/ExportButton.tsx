import { useState } from "react";
import { useTranslation } from "react-i18next";
import { toAppError } from "../../shared/errors.ts";
import type { TurnView } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { toasts } from "../lib/toasts.ts";
import { saveText, traceFileOf } from "./trace-file.ts";

/** Saves the whole trace of a turn as one JSON file. */
export function ExportButton({ view }: { view: TurnView }) {
  const { host, settings } = useAssistant();
  const { t } = useTranslation();
  const [isBusy, setBusy] = useState(false);

  async function save(): Promise<void> {
    setBusy(true);
    try {
      const name = `lares-trace-${new Date(view.turn.startedAt).toISOString().slice(0, 19).replaceAll(":", "-")}.json`;
      const { version } = settings.store.getState().hello;
      const text = await traceFileOf(host, view, version);
      if (await saveText(host, name, text)) toasts.add({ title: t("trace.exported", { name }) });
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      toasts.add({ title: t(`problems.${code}`), description: message, priority: "high" });
    }
    setBusy(false);
  }

  return (
    <button type="button" disabled={isBusy} onClick={() => void save()}>
      {t("trace.export")}
    </button>
  );
}
