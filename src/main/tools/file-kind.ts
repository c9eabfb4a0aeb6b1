/** What files that are not text begin with, and what they are. */
const kinds: readonly (readonly [string, string])[] = [
  ["%PDF-", "a PDF document"],
  ["PK\x03\x04", "a zip archive or an office document"],
  ["\xd0\xcf\x11\xe0", "an old office document"],
  ["\x89PNG", "a PNG picture"],
  ["\xff\xd8\xff", "a JPEG picture"],
  ["GIF8", "a GIF picture"],
  ["RIFF", "a picture, sound or film"],
  ["ID3", "an MP3 sound"],
  ["OggS", "a sound"],
  ["\0\0\0\x18ftyp", "a film"],
  ["\0\0\0\x20ftyp", "a film"],
  ["\x1f\x8b", "a packed file (gzip)"],
  ["7z\xbc\xaf", "a 7-Zip archive"],
  ["\x7fELF", "a program"],
  ["MZ", "a Windows program"],
  ["SQLite format 3\0", "a SQLite database"],
  ["GGUF", "a language model"],
];

/** What a file that is not text seems to be, by its first bytes. */
export function kindOfBinary(head: Uint8Array): string {
  const start = Buffer.from(head.subarray(0, 16)).toString("latin1");
  return kinds.find(([beginning]) => start.startsWith(beginning))?.[1] ?? "a binary file";
}
