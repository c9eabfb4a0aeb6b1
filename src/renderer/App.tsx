import { t } from "i18next";
import { useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { AppError } from "../shared/errors.ts";
import { languageOf } from "../shared/words/index.ts";
import { type Assistant, useAssistant } from "./lib/assistant.tsx";
import { showTheme } from "./lib/theme.ts";
import { toasts } from "./lib/toasts.ts";
import { changeLanguage } from "./lib/words.ts";
import { DropTarget } from "./models/DropTarget.tsx";
import { FirstRun } from "./models/FirstRun.tsx";
import { ErrorBoundary } from "./shell/ErrorBoundary.tsx";
import { Overlays } from "./shell/Overlays.tsx";
import { focusComposer } from "./shell/places.ts";
import { Shell } from "./shell/Shell.tsx";
import { Toasts } from "./shell/Toasts.tsx";

const PROBLEM_MS = 10_000;

/** The window: the first screen until there is a model, then the three columns. */
export function App() {
  const assistant = useAssistant();
  const [isSkipped, setSkipped] = useState(false);
  const need = useModelNeed(assistant);
  const isFirst = need === "missing" && !isSkipped;
  useLook(assistant);
  useSomeChat(assistant);
  useAskedChat(assistant);
  useProblems(assistant);
  return (
    <ErrorBoundary>
      {isFirst && (
        <>
          <FirstRun onSkip={() => setSkipped(true)} />
          <Overlays />
        </>
      )}
      {(need === "none" || isSkipped) && <Shell />}
      <DropTarget show={() => isFirst || assistant.layout.show("models")} />
      <Toasts />
    </ErrorBoundary>
  );
}

/** Whether a model is needed first. Once there was one it is "none": the window does not fall back while one works in it. */
function useModelNeed({ models, settings }: Assistant): "unknown" | "missing" | "none" {
  const isChosen = useStore(settings.store, (state) => state.settings.model !== undefined);
  const isHere = useStore(models.store, ({ cards }) => cards.some(({ state }) => state === "here"));
  const isUnknown = useStore(models.store, ({ status, problem }) => status === "reading" && problem === null);
  const [isMet, setMet] = useState(false);
  const wasMissing = useRef(false);
  const isReady = isMet || isChosen || isHere;
  const isMissing = !isReady && !isUnknown;
  useEffect(() => {
    if (isReady) setMet(true);
    if (isReady && wasMissing.current) focusComposer();
    wasMissing.current = isMissing;
  }, [isReady, isMissing]);
  if (isReady) return "none";
  return isMissing ? "missing" : "unknown";
}

/** Language and theme follow the settings, also when another window changes them. */
function useLook({ settings }: Assistant): void {
  const language = useStore(settings.store, (state) => state.settings.language);
  const theme = useStore(settings.store, (state) => state.settings.theme);
  useEffect(() => void changeLanguage(languageOf(language, navigator.language)), [language]);
  useEffect(() => showTheme(theme), [theme]);
}

/** A chat is always open: the newest one, or a new one. */
function useSomeChat({ chats }: Assistant): void {
  const isMissing = useStore(chats.store, ({ status, current }) => status === "ready" && current === null);
  useEffect(() => {
    if (!isMissing) return;
    const [newest] = Object.values(chats.store.getState().chats).sort((a, b) => b.updatedAt - a.updatedAt);
    if (newest) chats.open(newest.id);
    else void chats.create();
  }, [chats, isMissing]);
}

/** The menu and the tray of the window ask for a new chat by the address of the page. */
function useAskedChat({ chats }: Assistant): void {
  useEffect(() => {
    const look = () => {
      if (location.hash !== "#new-chat") return;
      history.replaceState(null, "", location.pathname);
      void chats.create();
    };
    look();
    window.addEventListener("hashchange", look);
    return () => window.removeEventListener("hashchange", look);
  }, [chats]);
}

/** What could not be done with the chats or the settings is said once, wherever the person is. */
function useProblems({ chats, cloud, settings, layout }: Assistant): void {
  const ofChats = useStore(chats.store, ({ status, problem }) => (status === "ready" ? problem : null));
  const ofCloud = useStore(cloud.store, ({ problem }) => problem);
  const ofSettings = useStore(settings.store, ({ problem }) => problem);
  useEffect(() => tell(ofChats), [ofChats]);
  useEffect(() => {
    if (layout.store.getState().overlay !== "cloud") tell(ofCloud);
  }, [layout, ofCloud]);
  useEffect(() => {
    if (layout.store.getState().overlay !== "settings") tell(ofSettings); // there it stands in the dialog
  }, [layout, ofSettings]);
}

function tell(problem: AppError | null): void {
  if (!problem) return;
  const title = t(`problems.${problem.code}`);
  toasts.add({ title, description: problem.message, priority: "high", timeout: PROBLEM_MS });
}
