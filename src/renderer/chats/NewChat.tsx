import { Menu } from "@base-ui/react/menu";
import { ChevronDown, EyeOff, SquarePen } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import menu from "../shell/Menu.module.css";
import styles from "./NewChat.module.css";

/** Begins a chat; a small menu beside it has the private one. */
export function NewChat({ onLeave }: { onLeave?: () => void }) {
  const { t } = useTranslation();
  const { chats } = useAssistant();
  const begin = (isPrivate: boolean) => {
    void chats.create({ private: isPrivate });
    onLeave?.();
  };
  return (
    <span className={styles.pair}>
      <button
        type="button"
        className="ghost"
        aria-label={t("chats.new")}
        title={t("chats.new")}
        onClick={() => begin(false)}
      >
        <SquarePen size={16} aria-hidden="true" />
      </button>
      <Menu.Root>
        <Menu.Trigger className={`ghost ${styles.more}`} aria-label={t("chats.newMore")} title={t("chats.newMore")}>
          <ChevronDown size={14} aria-hidden="true" />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner className={menu.positioner} sideOffset={4} align="end">
            <Menu.Popup className={menu.popup}>
              <Menu.Item className={menu.item} onClick={() => begin(true)}>
                <EyeOff size={16} aria-hidden="true" />
                <span>
                  {t("chats.newPrivate")}
                  <small className={menu.help}>{t("chats.newPrivateHelp")}</small>
                </span>
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </span>
  );
}
