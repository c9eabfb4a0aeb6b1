import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { type Catalogue, type Language, languages, wordsIn } from "../../shared/words/index.ts";

declare module "i18next" {
  interface CustomTypeOptions {
    resources: { translation: Catalogue };
  }
}

/** Makes the catalogue speak. Words are plain text for React, so nothing is escaped twice. */
export async function startWords(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: Object.fromEntries(languages.map((one) => [one, { translation: wordsIn(one) }])),
    interpolation: { escapeValue: false },
  });
  document.documentElement.lang = language;
}

export async function changeLanguage(language: Language): Promise<void> {
  await i18next.changeLanguage(language);
  document.documentElement.lang = language;
}
