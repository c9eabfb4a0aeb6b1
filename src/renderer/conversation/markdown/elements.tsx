import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Components, ExtraProps } from "react-markdown";
import { Link } from "../../lib/links.tsx";
import { CodeBlock } from "./CodeBlock.tsx";
import { ImageCard } from "./ImageCard.tsx";
import styles from "./Markdown.module.css";
import { MathBox } from "./MathBox.tsx";

type Node = NonNullable<ExtraProps["node"]>;
type Child = Node["children"][number];

const textOf = (node: Child | undefined): string => {
  if (node?.type === "text") return node.value;
  return node?.type === "element" ? node.children.map(textOf).join("") : "";
};

const classesOf = (node: Child | undefined): readonly unknown[] => {
  const classes = node?.type === "element" ? node.properties.className : undefined;
  return Array.isArray(classes) ? classes : [];
};

/** Code that stands inside a list or a quote; on its own it never comes here. */
function Pre({ node }: { node?: Node | undefined }) {
  const code = node?.children[0];
  const classes = classesOf(code);
  const text = textOf(code).replace(/\n$/, "");
  if (classes.includes("math-display")) return <MathBox formula={text} isDisplay />;
  const language = classes.find((name) => String(name).startsWith("language-"));
  return <CodeBlock text={text} language={String(language ?? "").slice("language-".length)} isGrowing={false} />;
}

function Code({ node, children }: { node?: Node | undefined; children?: ReactNode }) {
  if (classesOf(node).includes("math-inline")) return <MathBox formula={textOf(node)} isDisplay={false} />;
  return <code className={styles.code}>{children}</code>;
}

function Table({ children }: { children?: ReactNode }) {
  const { t } = useTranslation();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a wide table is scrolled with the keyboard too
    <section className={styles.wide} tabIndex={0} aria-label={t("conversation.table")}>
      <table>{children}</table>
    </section>
  );
}

/** Each element of Markdown as the page draws it. An answer's headings stand below the page's own. */
export const elements: Components = {
  a: ({ node, href, children }) => (
    <Link address={href ?? ""} text={textOf(node)}>
      {children}
    </Link>
  ),
  img: ({ src, alt }) => <ImageCard address={typeof src === "string" ? src : ""} alt={alt ?? ""} />,
  pre: Pre,
  code: Code,
  table: Table,
  input: ({ checked }) => <span>{checked ? "☑ " : "☐ "}</span>,
  h1: ({ children }) => <h3 className={styles.heading1}>{children}</h3>,
  h2: ({ children }) => <h4 className={styles.heading2}>{children}</h4>,
  h3: ({ children }) => <h5 className={styles.heading3}>{children}</h5>,
  h4: ({ children }) => <h6 className={styles.heading3}>{children}</h6>,
  h5: ({ children }) => <h6 className={styles.heading3}>{children}</h6>,
  h6: ({ children }) => <h6 className={styles.heading3}>{children}</h6>,
  li: ({ children }) => <li>{children}</li>,
  section: ({ children }) => <section className={styles.footnotes}>{children}</section>,
};
