import { Dialog } from "@base-ui/react/dialog";
import type { ReactNode } from "react";
import styles from "./Drawer.module.css";

interface DrawerProps {
  readonly label: string;
  readonly edge: "start" | "end";
  readonly isOpen: boolean;
  onClose(): void;
  readonly children: ReactNode;
}

/** A column that lies over the conversation where there is no room beside it. */
export function Drawer({ label, edge, isOpen, onClose, children }: DrawerProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className={styles.backdrop} />
        <Dialog.Popup className={styles.drawer} data-edge={edge} aria-label={label}>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
