export function hush(work: () => void): void {
  try {
    work();
  } catch {}
}
