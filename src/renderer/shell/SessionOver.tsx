import { useTranslation } from "react-i18next";

/** The page of a session that main does not know any more. */
export function SessionOver() {
  const { t } = useTranslation();
  return (
    <main role="alert" style={{ maxWidth: "36rem", margin: "20vh auto", padding: "0 1.5rem" }}>
      <h1>{t("app.sessionOver")}</h1>
      <p>{t("app.sessionOverNext")}</p>
    </main>
  );
}
