import { Menu } from "@base-ui/react/menu";
import { useEffect, useMemo, useRef, useState } from "react";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./ChatLines.module.css";
import { ChatRow, menuButtonId } from "./ChatRow.tsx";
import { GroupHeading } from "./GroupHeading.tsx";
import { linesOf } from "./groups.ts";
import { NoChats } from "./NoChats.tsx";
import { RowMenu } from "./RowMenu.tsx";
import { useDay } from "./use-day.ts";
import { useRowKeys } from "./use-row-keys.ts";

/** Every chat, by groups. Only what is in sight is in the page; Tab reaches one row, the arrows the others. */
export function ChatLines({ onLeave }: { onLeave?: () => void }) {
  const { chats, layout } = useAssistant();
  const all = useStore(chats.store, (state) => state.chats);
  const current = useStore(chats.store, (state) => state.current);
  const renaming = useStore(layout.store, (state) => state.renaming);
  const day = useDay();
  const lines = useMemo(() => linesOf(Object.values(all), day), [all, day]);
  const list = useRef<VirtualizerHandle>(null);
  const [menu] = useState(() => Menu.createHandle<string>());
  const [reached, reach] = useState<string | null>(null);
  const onKeyDown = useRowKeys({ lines, reach, openMenu: (chatId) => menu.open(menuButtonId(chatId)) });

  const place = (chatId: string | null) => lines.findIndex(({ id }) => id === chatId);
  const opened = place(current);
  const reachable = [place(reached), opened, 1].find((index) => index >= 0 && index < lines.length) ?? 0;
  const shown = renaming === null ? opened : place(renaming);
  useEffect(() => {
    if (shown >= 0) list.current?.scrollToIndex(shown, { align: "nearest" });
  }, [shown]);

  if (lines.length === 0) return <NoChats />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its rows have the focus; the keys only move between them
    <div className={styles.scroll} onKeyDown={onKeyDown}>
      <Virtualizer ref={list} as="ul" item="li" data={lines} keepMounted={[reachable, Math.max(shown, 0)]}>
        {(line, index) =>
          line.kind === "heading" ? (
            <GroupHeading key={line.id} name={line.name} />
          ) : (
            <ChatRow
              key={line.id}
              chat={line.chat}
              isOpen={index === opened}
              isReachable={index === reachable}
              menu={menu}
              onReach={reach}
              {...(onLeave && { onLeave })}
            />
          )
        }
      </Virtualizer>
      <RowMenu menu={menu} />
    </div>
  );
}
