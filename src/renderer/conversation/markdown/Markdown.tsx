import { memo, useDeferredValue, useMemo, useRef } from "react";
import { useTranslation } from "react-i18next";
import { type Block, type Cut, cutBlocks, definitionsOf } from "./blocks.ts";
import { CodeBlock } from "./CodeBlock.tsx";
import { Formatted } from "./Formatted.tsx";
import styles from "./Markdown.module.css";
import { PlainText } from "./PlainText.tsx";

/** So many blocks are there at once; the rest of a long answer follows in the browser's free moments. */
const AT_ONCE = 20;

interface MarkdownProps {
  readonly text: string;
  /** More of it is still on its way. */
  readonly isGrowing: boolean;
}

/** What a model wrote, formatted: blocks that are finished are parsed once, only the last one again. */
export const Markdown = memo(function Markdown({ text, isGrowing }: MarkdownProps) {
  const last = useRef<Cut>(undefined);
  const cut = useMemo(() => {
    last.current = cutBlocks(text.includes("\r\n") ? text.replaceAll("\r\n", "\n") : text, last.current);
    return last.current;
  }, [text]);
  const { blocks } = cut;
  const definitions = definitionsOf(cut);
  const later = useDeferredValue(blocks, blocks.slice(0, AT_ONCE));
  const shown = isGrowing ? blocks : later;
  return (
    <div className={styles.markdown}>
      {shown.map((block, index) => (
        <BlockView
          key={index}
          block={block}
          definitions={definitions}
          isGrowing={isGrowing && index === blocks.length - 1}
        />
      ))}
    </div>
  );
});

interface BlockProps {
  readonly block: Block;
  readonly definitions: string;
  readonly isGrowing: boolean;
}

const BlockView = memo(function BlockView({ block, definitions, isGrowing }: BlockProps) {
  const { kind, text, language } = block;
  if (kind === "code") return <CodeBlock text={text} language={language} isGrowing={isGrowing} />;
  if (kind === "definition") return null;
  if (kind === "plain") return <PlainBlock text={text} />;
  const source = definitions !== "" && text.includes("]") ? `${text}\n\n${definitions}` : text;
  return <Formatted text={source} isGrowing={isGrowing} />;
});

function PlainBlock({ text }: { text: string }) {
  const { t } = useTranslation();
  return (
    <div>
      <small>{t("conversation.plainLong")}</small>
      <PlainText text={text} />
    </div>
  );
}
