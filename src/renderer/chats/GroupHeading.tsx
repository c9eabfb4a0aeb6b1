import { useTranslation } from "react-i18next";
import styles from "./ChatLines.module.css";
import type { GroupName } from "./groups.ts";

/** What stands over a group of chats. */
export function GroupHeading({ name }: { name: GroupName }) {
  const { t, i18n } = useTranslation();
  const month = (date: Date) => date.toLocaleDateString(i18n.language, { month: "long", year: "numeric" });
  return <h2 className={styles.heading}>{typeof name === "string" ? t(`chats.${name}`) : month(name)}</h2>;
}
