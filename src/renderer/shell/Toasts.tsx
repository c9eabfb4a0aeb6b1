import { Toast } from "@base-ui/react/toast";
import { X } from "lucide-react";
import { useTranslation } from "react-i18next";
import { toasts } from "../lib/toasts.ts";
import styles from "./Toasts.module.css";

/** Where short news appears. It waits while the pointer or the focus is on it; F6 goes there. */
export function Toasts() {
  const { t } = useTranslation();
  return (
    <Toast.Provider toastManager={toasts}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={t("app.news")}>
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function List() {
  const { t } = useTranslation();
  const { toasts: shown } = Toast.useToastManager();
  return shown.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={styles.toast}>
      <Toast.Content className={styles.content}>
        <div className={styles.text}>
          <Toast.Title className={styles.title} />
          <Toast.Description className={styles.description} />
        </div>
        <Toast.Action className={styles.action} />
        <Toast.Close className={`ghost ${styles.close}`} aria-label={t("app.dismiss")}>
          <X size={14} aria-hidden="true" />
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
