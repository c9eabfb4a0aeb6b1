/** The first `length` characters of a text, or one less where that would leave half of an emoji. */
export function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const isHalf = /[\uD800-\uDBFF]/.test(text.charAt(length - 1));
  return text.slice(0, isHalf ? length - 1 : length);
}
