/** How llama.cpp names the parts of a split model; it opens the first and finds the others by their names. */
const part = /^(.+)-(\d{5})-of-(\d{5})(\.gguf)$/i;

/** More parts than any model has: a name that claims more is no part. */
const MOST_PARTS = 200;

/** The names of all parts of a model, the first one first; a file that is not split is its own only part. */
export function partNames(file: string): string[] {
  const [, stem, at, of, ending] = part.exec(file) ?? [];
  const count = Number(of);
  if (stem === undefined || of === undefined || count < 1 || count > MOST_PARTS || Number(at) > count) return [file];
  return Array.from({ length: count }, (_, index) => `${stem}-${String(index + 1).padStart(5, "0")}-of-${of}${ending}`);
}

/** A part that is opened through the first one, and is no model by itself. */
export const isLaterPart = (file: string): boolean => {
  const names = partNames(file);
  return names.length > 1 && names[0] !== file;
};
