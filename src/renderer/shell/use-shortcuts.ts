import { useEffect } from "react";
import { type Assistant, useAssistant } from "../lib/assistant.tsx";
import { isKeptByText, isMac, isTextField, matches } from "../lib/shortcuts.ts";
import { type Command, commands } from "./commands.ts";

/**
 * Runs a command. What lies open is closed first: no two things ever lie on one another, and what closes gives the focus
 * back before the command takes it.
 */
export function runCommand(command: Pick<Command, "run">, assistant: Assistant): void {
  const { layout } = assistant;
  if (layout.store.getState().overlay === null) return void command.run(assistant);
  layout.show(null);
  requestAnimationFrame(() => command.run(assistant));
}

/** Listens for the shortcuts of the commands, everywhere in the window. */
export function useShortcuts(): void {
  const assistant = useAssistant();
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      if (event.defaultPrevented || event.repeat) return;
      const found = commands.find(({ shortcut }) => shortcut && matches(event, shortcut, isMac));
      if (!found?.shortcut) return;
      if (isTextField(event.target) && isKeptByText(found.shortcut, isMac)) return;
      event.preventDefault();
      runCommand(found, assistant);
    }
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [assistant]);
}
