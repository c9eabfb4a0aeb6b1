import type { ComponentType } from "react";
import { languages, words } from "../../shared/words/index.ts";
import {
  ContextTokens,
  ContinueAfterCrash,
  GoalIterations,
  GoalMinutes,
  GoalTokens,
  MaxOutputTokens,
  Temperature,
} from "./AnswerFields.tsx";
import { CacheType, FlashAttention, Gpu, Thinking } from "./EngineFields.tsx";
import { DataFolder, ModelsFolder } from "./FolderField.tsx";
import { HealthButton } from "./HealthButton.tsx";
import { CloudButton, Fallbacks, LocalMode } from "./LeavingFields.tsx";
import { LanguageChoice, ThemeChoice } from "./LookFields.tsx";
import { ModelField } from "./ModelField.tsx";
import { ShortcutsButton } from "./ShortcutsButton.tsx";
import { WorkspaceField } from "./WorkspaceField.tsx";

/** A setting: its words are `settings.<id>` and `settings.<id>Help`. */
export interface Setting {
  readonly id: keyof typeof words.settings & SettingId;
  readonly section: "look" | "answers" | "leaving" | "engine" | "goals" | "folders" | "keyboard";
  readonly Control: ComponentType;
}

type SettingId = {
  [K in keyof typeof words.settings]: `${K}Help` extends keyof typeof words.settings ? K : never;
}[keyof typeof words.settings];

/** All that can be set, in the order in which it stands in the dialog. */
// biome-ignore format: a table should look like one
export const settingsTable: readonly Setting[] = [
  { id: "language",        section: "look",     Control: LanguageChoice },
  { id: "theme",           section: "look",     Control: ThemeChoice },
  { id: "model",           section: "answers",  Control: ModelField },
  { id: "temperature",     section: "answers",  Control: Temperature },
  { id: "maxOutputTokens", section: "answers",  Control: MaxOutputTokens },
  { id: "contextTokens",   section: "answers",  Control: ContextTokens },
  { id: "continueAfterCrash", section: "answers", Control: ContinueAfterCrash },
  { id: "gpu",             section: "engine",   Control: Gpu },
  { id: "flashAttention",  section: "engine",   Control: FlashAttention },
  { id: "cacheType",       section: "engine",   Control: CacheType },
  { id: "thinking",        section: "engine",   Control: Thinking },
  { id: "localMode",       section: "leaving",  Control: LocalMode },
  { id: "cloudModels",     section: "leaving",  Control: CloudButton },
  { id: "fallbacks",       section: "leaving",  Control: Fallbacks },
  { id: "goalIterations",  section: "goals",    Control: GoalIterations },
  { id: "goalTokens",      section: "goals",    Control: GoalTokens },
  { id: "goalMinutes",     section: "goals",    Control: GoalMinutes },
  { id: "workspace",       section: "folders",  Control: WorkspaceField },
  { id: "data",            section: "folders",  Control: DataFolder },
  { id: "models",          section: "folders",  Control: ModelsFolder },
  { id: "health",          section: "folders",  Control: HealthButton },
  { id: "shortcuts",       section: "keyboard", Control: ShortcutsButton },
];

/** The settings that have every word of the query in what they say, in any language. */
export function findSettings(query: string): Setting[] {
  const terms = query.toLowerCase().split(/\s+/u);
  return settingsTable.filter(({ id, section }) => {
    const told = [words.settings[section], words.settings[id], words.settings[`${id}Help`]];
    const text = languages
      .flatMap((language) => told.map((word) => word[language]))
      .join("\n")
      .toLowerCase();
    return terms.every((term) => text.includes(term));
  });
}
