/** How the bytes of a text are to be read; labels of TextDecoder. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "gb18030";

const byteOrderMarks: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];
const mostControls = 0.05;
const mostUnreadable = 0.3;

/**
 * The encoding of a text by its first bytes: by its mark, by the zeros of UTF-16, as UTF-8, or as Chinese GB18030.
 * UTF-8 also when some bytes are not valid in any of them. Undefined: these bytes are not a text.
 */
export function recogniseText(head: Uint8Array): TextEncoding | undefined {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, index) => head[index] === byte))?.[0];
  const encoding = marked ?? zeroPattern(head) ?? (head.includes(0) ? undefined : byValidity(head));
  return encoding !== undefined && readsAsText(head, encoding) ? encoding : undefined;
}

/** Latin letters in UTF-16 are every other byte zero. */
function zeroPattern(head: Uint8Array): TextEncoding | undefined {
  const pairs = Math.floor(head.length / 2);
  const zeros = [0, 0];
  for (let index = 0; index < pairs * 2; index += 1)
    if (head[index] === 0) zeros[index % 2] = (zeros[index % 2] ?? 0) + 1;
  const [even = 0, odd = 0] = zeros;
  if (pairs > 0 && odd > pairs * 0.4 && even < pairs * 0.02) return "utf-16le";
  return pairs > 0 && even > pairs * 0.4 && odd < pairs * 0.02 ? "utf-16be" : undefined;
}

function byValidity(head: Uint8Array): TextEncoding {
  if (isValid(head, "utf-8")) return "utf-8";
  return isValid(head, "gb18030") && isMostlyCommonChinese(head) ? "gb18030" : "utf-8";
}

function isValid(head: Uint8Array, encoding: TextEncoding): boolean {
  try {
    new TextDecoder(encoding, { fatal: true }).decode(head, { stream: true }); // its end may be half a character
    return true;
  } catch {
    return false;
  }
}

/** Both bytes of the common characters are high. Western text in one byte a letter may be valid GB18030, but not this. */
function isMostlyCommonChinese(head: Uint8Array): boolean {
  let common = 0;
  let other = 0;
  for (let index = 0; index + 1 < head.length; index += 1) {
    if ((head[index] ?? 0) < 0x80) continue;
    index += 1;
    if ((head[index] ?? 0) >= 0xa1) common += 1;
    else other += 1;
  }
  return common > other * 9;
}

function readsAsText(head: Uint8Array, encoding: TextEncoding): boolean {
  const text = new TextDecoder(encoding).decode(head, { stream: true });
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted; tab, line ends and ESC belong to texts
  const controls = text.match(/[\u0000-\u0007\u000e-\u001a\u001c-\u001f\u007f]/g)?.length ?? 0;
  const unreadable = text.match(/\ufffd/g)?.length ?? 0;
  return controls <= text.length * mostControls && unreadable <= text.length * mostUnreadable;
}
