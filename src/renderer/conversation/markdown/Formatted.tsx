import { memo } from "react";
import { useTranslation } from "react-i18next";
import ReactMarkdown from "react-markdown";
import remarkGfm from "remark-gfm";
import remarkMath from "remark-math";
import remend from "remend";
import { visibleText } from "../../lib/plain-text.ts";
import { elements } from "./elements.tsx";
import { markMath } from "./math.ts";

const plugins: React.ComponentProps<typeof ReactMarkdown>["remarkPlugins"] = [
  remarkGfm,
  [remarkMath, { singleDollarTextMath: false }],
];

const allowed =
  "a blockquote br code del em h1 h2 h3 h4 h5 h6 hr img input li ol p pre section strong sup table tbody td th thead tr ul".split(
    " ",
  );

/** Addresses come to the elements as they are written; those decide, and none of them becomes an href. */
const asWritten = (url: string) => url;

/** One block of Markdown. HTML in it is text. */
export const Formatted = memo(function Formatted({ text, isGrowing }: { text: string; isGrowing: boolean }) {
  const { t } = useTranslation();
  const source = markMath(visibleText(text));
  return (
    <ReactMarkdown
      remarkPlugins={plugins}
      remarkRehypeOptions={{ footnoteLabel: t("conversation.footnotes") }}
      allowedElements={allowed}
      unwrapDisallowed
      urlTransform={asWritten}
      components={elements}
    >
      {isGrowing ? remend(source, { linkMode: "text-only", htmlTags: false }) : source}
    </ReactMarkdown>
  );
});
