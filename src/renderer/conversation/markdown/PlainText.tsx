import { memo, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { visibleText } from "../../lib/plain-text.ts";
import styles from "./Markdown.module.css";
import { slicesOf } from "./slices.ts";

/** So many pieces are there at once: about 400,000 characters. */
const AT_ONCE = 50;

/** Text as it is, however long: in pieces that the browser lays out only when they are seen. */
export const PlainText = memo(function PlainText({
  text,
  className,
}: {
  text: string;
  className?: string | undefined;
}) {
  const { t, i18n } = useTranslation();
  const slices = useMemo(() => slicesOf(text), [text]);
  const [count, setCount] = useState(AT_ONCE);
  const percent = new Intl.NumberFormat(i18n.language, { style: "percent" });
  return (
    <div className={`${styles.plain} ${className ?? ""}`}>
      {slices.slice(0, count).map((slice, index) => (
        <Slice key={index} text={slice} isAlone={slices.length === 1} />
      ))}
      {slices.length > count && (
        <button type="button" onClick={() => setCount(count + AT_ONCE)}>
          {t("conversation.showMore", { percent: percent.format(count / slices.length) })}
        </button>
      )}
    </div>
  );
});

/** The line break at its end is the end of its box. */
const Slice = memo(function Slice({ text, isAlone }: { text: string; isAlone: boolean }) {
  return <div className={isAlone ? undefined : styles.slice}>{visibleText(text.replace(/\n$/, ""))}</div>;
});
