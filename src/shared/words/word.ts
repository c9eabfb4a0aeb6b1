/** The languages of the page and of the menus. */
export const languages = ["en", "zh-CN"] as const;
export type Language = (typeof languages)[number];

/** One thing Lares says, in each language. `{{name}}` is filled in; keys that end in _one and _other are plurals. */
export type Word = Readonly<Record<Language, string>>;
export type Words = Readonly<Record<string, Word>>;
