import { useEffect, useRef, useState } from "react";
import styles from "./Markdown.module.css";

const load = () => import("./katex.ts");

/** A formula. Until the typesetter is there, and where it fails, it stands as it was written. */
export function MathBox({ formula, isDisplay }: { formula: string; isDisplay: boolean }) {
  const box = useRef<HTMLSpanElement>(null);
  const [isWrong, setWrong] = useState(false);
  useEffect(() => {
    let isGone = false;
    void load().then(({ typeset }) => {
      if (!isGone && box.current) setWrong(!typeset(formula, box.current, isDisplay));
    });
    return () => {
      isGone = true;
    };
  }, [formula, isDisplay]);
  return (
    <span role="math" aria-label={formula} className={isDisplay ? styles.formula : styles.inlineFormula}>
      <span ref={box} key={formula} className={isWrong ? styles.wrong : undefined}>
        {formula}
      </span>
    </span>
  );
}
