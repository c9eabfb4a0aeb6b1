import { WrapText } from "lucide-react";
import { memo, type ReactNode, useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { visibleText } from "../../lib/plain-text.ts";
import { CopyButton } from "../CopyButton.tsx";
import styles from "./CodeBlock.module.css";
import type { Piece } from "./highlight.ts";

const MAX_HIGHLIGHTED = 20_000;

interface CodeBlockProps {
  readonly text: string;
  readonly language: string;
  readonly isGrowing: boolean;
}

/** Code with its language, copy and wrap. What is copied is what is seen. */
export const CodeBlock = memo(function CodeBlock({ text, language, isGrowing }: CodeBlockProps) {
  const { t } = useTranslation();
  const [isWrapped, setWrapped] = useState(false);
  const seen = visibleText(text);
  const pieces = useHighlight(seen, language, !isGrowing);
  return (
    <figure className={styles.block}>
      <figcaption className={styles.bar}>
        <span className={styles.language}>{language || t("conversation.codeText")}</span>
        <button
          type="button"
          className={`ghost ${styles.small}`}
          aria-pressed={isWrapped}
          onClick={() => setWrapped(!isWrapped)}
        >
          <WrapText size={14} aria-hidden /> {t("conversation.wrap")}
        </button>
        <CopyButton text={seen} />
      </figcaption>
      <pre
        className={isWrapped ? styles.wrapped : styles.code}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: long lines are scrolled with the keyboard too
        tabIndex={0}
      >
        <code>{pieces ? pieces.map(elementOf) : seen}</code>
      </pre>
    </figure>
  );
});

/** The highlighter comes with the first code that needs it; until then, and for unknown languages, null. */
function useHighlight(text: string, language: string, isFinished: boolean): readonly Piece[] | null {
  const [done, setDone] = useState<{ text: string; pieces: readonly Piece[] | null } | null>(null);
  useEffect(() => {
    if (!isFinished || language === "" || text.length > MAX_HIGHLIGHTED) return;
    let isGone = false;
    void import("./highlight.ts").then(({ highlight }) => {
      if (!isGone) setDone({ text, pieces: highlight(language, text) });
    });
    return () => {
      isGone = true;
    };
  }, [text, language, isFinished]);
  return done?.text === text ? done.pieces : null;
}

function elementOf(piece: Piece, index: number): ReactNode {
  if (piece.type === "text") return piece.value;
  if (piece.type !== "element") return null;
  const classes = piece.properties.className;
  return (
    <span key={index} className={Array.isArray(classes) ? classes.join(" ") : undefined}>
      {piece.children.map((child, at) => elementOf(child as Piece, at))}
    </span>
  );
}
