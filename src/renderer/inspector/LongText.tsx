import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { visibleText } from "../lib/plain-text.ts";
import styles from "./LongText.module.css";
import { piecesOf } from "./pieces.ts";

const PIECE = 4000;
const FIRST = 5;

/** Text of any length; what could not be seen in it is written out. The first twenty thousand characters are there at once; each press shows twice as many. */
export function LongText({ text, kind = "prose" }: { text: string; kind?: "prose" | "code" }) {
  const { t } = useTranslation();
  const pieces = useMemo(() => piecesOf(text, PIECE), [text]);
  const [shown, setShown] = useState(FIRST);
  const left = pieces.slice(shown).reduce((sum, piece) => sum + piece.length, 0);
  return (
    <div className={styles.text} data-kind={kind}>
      {pieces.slice(0, shown).map((piece, at) => (
        <pre key={at} className={styles.piece}>
          {visibleText(piece)}
        </pre>
      ))}
      {left > 0 && (
        <button type="button" onClick={() => setShown(shown * 2)}>
          {t("trace.showMore", { count: left })}
        </button>
      )}
    </div>
  );
}
