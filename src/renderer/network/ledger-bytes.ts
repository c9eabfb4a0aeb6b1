const units = [
  { sign: "GB", bytes: 1e9 },
  { sign: "MB", bytes: 1e6 },
  { sign: "kB", bytes: 1e3 },
] as const;

/** Bytes of a body at a glance, one place behind the point: `640 B`, `4.1 kB`. */
export function bytesOf(bytes: number, language: string): string {
  const { sign, bytes: one } = units.find((unit) => bytes >= unit.bytes) ?? { sign: "B", bytes: 1 };
  const figure = new Intl.NumberFormat(language, { maximumFractionDigits: one === 1 ? 0 : 1 }).format(bytes / one);
  return `${figure}\u00a0${sign}`;
}
