import { Component, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import styles from "./ErrorBoundary.module.css";

/** Keeps a bug inside the part of the window that has it, and lets the person try again. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly isBroken: boolean }> {
  override state = { isBroken: false };

  static getDerivedStateFromError() {
    return { isBroken: true };
  }

  override render() {
    if (!this.state.isBroken) return this.props.children;
    return <Broken onAgain={() => this.setState({ isBroken: false })} />;
  }
}

function Broken({ onAgain }: { onAgain: () => void }) {
  const { t } = useTranslation();
  return (
    <div className={styles.broken} role="alert">
      <b>{t("app.broken")}</b>
      <p>{t("app.brokenNext")}</p>
      <button type="button" onClick={onAgain}>
        {t("app.tryAgain")}
      </button>
    </div>
  );
}
