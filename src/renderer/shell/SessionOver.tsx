import { useTranslation } from "react-i18next";
import styles from "./SessionOver.module.css";

/** The page of a session that main does not know any more. */
export function SessionOver() {
  const { t } = useTranslation();
  return (
    <main className={styles.over} role="alert">
      <p className={styles.logo}>
        <span aria-hidden>◗</span> {t("app.name")}
      </p>
      <h1>{t("app.sessionOver")}</h1>
      <p>{t("app.sessionOverNext")}</p>
    </main>
  );
}
