/** The screen of a first start: get a model, or use a file. */
export function FirstRun({ onSkip }: { onSkip: () => void }) {
  return (
    <button type="button" onClick={onSkip}>
      …
    </button>
  );
}
