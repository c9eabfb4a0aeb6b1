import { Menu } from "@base-ui/react/menu";
import { Cloud, CloudOff, Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import menuStyles from "../shell/Menu.module.css";
import { deleteChat } from "./actions.ts";

/** The one menu of all rows; which chat it is for comes with the button that opened it. */
export function RowMenu({ menu }: { menu: Menu.Handle<string> }) {
  const { layout } = useAssistant();
  return (
    <Menu.Root handle={menu}>
      {({ payload: chatId }) => (
        <Menu.Portal>
          <Menu.Positioner className={menuStyles.positioner} sideOffset={2} align="start">
            <Menu.Popup
              className={menuStyles.popup}
              finalFocus={() => layout.store.getState().renaming === null} // else the title's field has the focus
            >
              {chatId !== undefined && <Items chatId={chatId} />}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      )}
    </Menu.Root>
  );
}

function Items({ chatId }: { chatId: string }) {
  const { t } = useTranslation();
  const { chats, cloud, layout } = useAssistant();
  const isNever = useStore(chats.store, (state) => state.chats[chatId]?.neverCloud ?? false);
  const isPinned = useStore(chats.store, (state) => state.chats[chatId]?.pinned ?? false);
  const NeverIcon = isNever ? Cloud : CloudOff;
  const PinIcon = isPinned ? PinOff : Pin;
  return (
    <>
      <Menu.Item className={menuStyles.item} onClick={() => layout.rename(chatId)}>
        <Pencil size={15} aria-hidden="true" />
        <span className={menuStyles.grow}>{t("chats.rename")}</span>
        <kbd>F2</kbd>
      </Menu.Item>
      <Menu.Item className={menuStyles.item} onClick={() => void chats.pin(chatId, !isPinned)}>
        <PinIcon size={15} aria-hidden="true" />
        {t(isPinned ? "chats.unpin" : "chats.pin")}
      </Menu.Item>
      <Menu.Item
        className={menuStyles.item}
        onClick={() => void cloud.setMark({ kind: "chat", ref: chatId }, !isNever)}
      >
        <NeverIcon size={15} aria-hidden="true" />
        {t(isNever ? "cloud.mayGo" : "cloud.never")}
      </Menu.Item>
      <Menu.Item className={`${menuStyles.item} ${menuStyles.danger}`} onClick={() => void deleteChat(chats, chatId)}>
        <Trash2 size={15} aria-hidden="true" />
        <span className={menuStyles.grow}>{t("chats.delete")}</span>
        <kbd>Del</kbd>
      </Menu.Item>
    </>
  );
}
