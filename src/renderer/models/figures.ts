const units = [
  { sign: "GB", bytes: 1e9 },
  { sign: "MB", bytes: 1e6 },
  { sign: "kB", bytes: 1e3 },
] as const;
const byte = { sign: "B", bytes: 1 } as const;

const unitOf = (bytes: number) => units.find((unit) => bytes >= unit.bytes) ?? byte;

function figure(bytes: number, unit: { readonly bytes: number }, language: string): string {
  const value = bytes / unit.bytes;
  return new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 && unit.bytes >= 1e6 ? 1 : 0 }).format(
    value,
  );
}

/** Bytes as people say them, in powers of ten: `98 MB`, `2.5 GB`. */
export function sizeOf(bytes: number, language: string): string {
  const unit = unitOf(bytes);
  return `${figure(bytes, unit, language)}\u00a0${unit.sign}`;
}

/** A part and its whole in the unit of the whole: `43` and `98 MB`. */
export function partOf(bytes: number, total: number, language: string): { part: string; whole: string } {
  return { part: figure(bytes, unitOf(total), language), whole: sizeOf(total, language) };
}

/** What a download will still take at this speed, in hours, minutes and seconds; undefined: nobody knows. */
export function timeLeft({ done, total, bytesPerSecond }: { done: number; total: number; bytesPerSecond: number }) {
  if (bytesPerSecond <= 0 || total <= done) return undefined;
  const all = Math.ceil((total - done) / bytesPerSecond);
  return { hours: Math.floor(all / 3600), minutes: Math.floor((all % 3600) / 60), seconds: all % 60 };
}

/** Tokens in thousands, as windows are named: 32,768 is `32`. */
export const thousandsOf = (tokens: number): string => String(Math.max(1, Math.round(tokens / 1024)));

/** A large count in short: `1.5 B`, `135 M`. */
export function countOf(count: number, language: string): string {
  const [sign, unit] = count >= 1e9 ? ["B", 1e9] : ["M", 1e6];
  const value = count / unit;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: value < 10 ? 1 : 0 }).format(value)}\u00a0${sign}`;
}
