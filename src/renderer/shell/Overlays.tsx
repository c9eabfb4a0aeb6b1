import { type ComponentType, Suspense } from "react";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { later } from "../lib/later.ts";
import type { Overlay } from "../stores/layout.ts";
import { CommandPalette } from "./CommandPalette.tsx";

const overlays: Readonly<Record<NonNullable<Overlay>, ComponentType>> = {
  palette: CommandPalette, // people type on at once
  shortcuts: later(async () => (await import("./ShortcutSheet.tsx")).ShortcutSheet),
  settings: later(async () => (await import("../settings/SettingsDialog.tsx")).SettingsDialog),
  sent: later(async () => (await import("../inspector/SentDialog.tsx")).SentDialog),
  health: later(async () => (await import("../health/HealthDialog.tsx")).HealthDialog),
  cloud: later(async () => (await import("../cloud/CloudDialog.tsx")).CloudDialog),
  models: later(async () => (await import("../models/ModelsDialog.tsx")).ModelsDialog),
};

/** The overlay that is open, if one is. */
export function Overlays() {
  const { layout } = useAssistant();
  const overlay = useStore(layout.store, (state) => state.overlay);
  if (overlay === null) return null;
  const Open = overlays[overlay];
  return (
    <Suspense>
      <Open />
    </Suspense>
  );
}
