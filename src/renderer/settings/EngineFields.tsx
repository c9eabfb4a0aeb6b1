import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { Settings } from "../../shared/settings.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { Choice } from "./Choice.tsx";

type EngineWord = `settings.${"automatic" | "on" | "off" | "cacheWhole" | "cacheSmall"}`;
type EngineSetting = "gpu" | "flashAttention" | "cacheType" | "thinking";

/** The values of each setting, in the order in which they are offered. */
const choices: { readonly [S in EngineSetting]: readonly { value: Settings[S]; word: EngineWord }[] } = {
  gpu: [
    { value: "auto", word: "settings.automatic" },
    { value: "off", word: "settings.off" },
  ],
  flashAttention: [
    { value: "auto", word: "settings.automatic" },
    { value: "on", word: "settings.on" },
    { value: "off", word: "settings.off" },
  ],
  cacheType: [
    { value: "f16", word: "settings.cacheWhole" },
    { value: "q8_0", word: "settings.cacheSmall" },
  ],
  thinking: [
    { value: "auto", word: "settings.automatic" },
    { value: "off", word: "settings.off" },
  ],
};

export const Gpu = () => <EngineChoice setting="gpu" />;
export const FlashAttention = () => <EngineChoice setting="flashAttention" />;
export const CacheType = () => <EngineChoice setting="cacheType" />;
export const Thinking = () => <EngineChoice setting="thinking" />;

/** How local models are run: applies when a model is loaded the next time. */
function EngineChoice<S extends EngineSetting>({ setting }: { setting: S }) {
  const { t } = useTranslation();
  const { settings } = useAssistant();
  const value = useStore(settings.store, (state) => state.settings[setting]);
  const options = choices[setting].map(({ value: each, word }) => ({ value: each, label: t(word) }));
  return (
    <Choice<Settings[S]>
      value={value}
      options={options}
      onChange={(chosen) => void settings.change({ [setting]: chosen })}
    />
  );
}
