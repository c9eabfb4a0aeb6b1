import { type ComponentType, lazy, Suspense } from "react";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import type { Overlay } from "../stores/layout.ts";

/** Each is a part of the page of its own, read when it is opened for the first time: the window opens without them. */
const overlays: Readonly<Record<NonNullable<Overlay>, ComponentType>> = {
  palette: lazy(async () => ({ default: (await import("./CommandPalette.tsx")).CommandPalette })),
  shortcuts: lazy(async () => ({ default: (await import("./ShortcutSheet.tsx")).ShortcutSheet })),
  settings: lazy(async () => ({ default: (await import("../settings/SettingsDialog.tsx")).SettingsDialog })),
  models: lazy(async () => ({ default: (await import("../models/ModelsDialog.tsx")).ModelsDialog })),
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
