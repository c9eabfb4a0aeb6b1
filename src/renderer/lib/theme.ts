import type { Settings } from "../../shared/settings.ts";

const dark = matchMedia("(prefers-color-scheme: dark)");
let shown: Settings["theme"] = "system";

const paint = () => {
  document.documentElement.dataset.theme = shown === "system" ? (dark.matches ? "dark" : "light") : shown;
};
dark.addEventListener("change", paint);

/** Light, dark, or what the system says, also when it changes its mind. */
export function showTheme(theme: Settings["theme"]): void {
  shown = theme;
  paint();
}
