import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import type { ReactNode, RefObject } from "react";
import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./OverlayDialog.module.css";

interface OverlayDialogProps {
  readonly title: string;
  /** Without it the title is only told, not shown. */
  readonly hasHead?: boolean;
  readonly className?: string | undefined;
  readonly initialFocus?: RefObject<HTMLElement | null>;
  readonly children: ReactNode;
}

/** The frame of an overlay that stands open: over everything, closed by Esc, a click beside it, or its button. */
export function OverlayDialog({ title, hasHead = true, className = "", initialFocus, children }: OverlayDialogProps) {
  const { t } = useTranslation();
  const { layout } = useAssistant();
  return (
    <Dialog.Root open onOpenChange={(open) => !open && layout.show(null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={`${styles.popup} ${className}`} {...(initialFocus && { initialFocus })}>
          <header className={hasHead ? styles.head : "unseen"}>
            <Dialog.Title className={styles.title}>{title}</Dialog.Title>
            {/* Where it is not seen it is for those who listen: Tab must not come to it. */}
            <Dialog.Close
              className={`ghost ${styles.close}`}
              aria-label={t("app.close")}
              {...(!hasHead && { tabIndex: -1 })}
            >
              <X size={16} aria-hidden="true" />
            </Dialog.Close>
          </header>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
