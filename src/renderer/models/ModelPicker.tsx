import { Menu } from "@base-ui/react/menu";
import { Check, ChevronDown } from "lucide-react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import type { Chat } from "../stores/chat.ts";
import { cardOf, fileNameOf } from "./download.ts";
import styles from "./ModelPicker.module.css";
import { useActivity } from "./use-activity.ts";

/** Which model answers in this chat; a button beside the composer. It says too when one is on its way. */
export function ModelPicker({ chat }: { chat: Chat }) {
  const { models, layout } = useAssistant();
  const { t } = useTranslation();
  const cards = useStore(models.store, (state) => state.cards);
  const chosen = useStore(chat.store, (state) => state.chat?.model);
  const activity = useActivity(chat);
  const here = cards.filter(({ state }) => state === "here");
  const name = cardOf(cards, chosen)?.name ?? (chosen === undefined ? undefined : fileNameOf(chosen));
  const isUsable = here.length > 0 || chosen !== undefined;

  if (!isUsable || name === undefined) {
    return (
      <button type="button" className={styles.pick} data-state="none" onClick={() => layout.show("models")}>
        {activity ?? t("models.noneYet")}
      </button>
    );
  }
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.pick}>
        <span className="unseen">{t("models.pick")} </span>
        <span className={styles.dot} aria-hidden />
        <span className={styles.name}>{activity ?? `${t("models.local")} · ${visibleText(name)}`}</span>
        <ChevronDown size={13} aria-hidden />
      </Menu.Trigger>
      <Choices chat={chat} />
    </Menu.Root>
  );
}

/** No choice is a choice too: the default, whatever it will be. */
const BY_DEFAULT = "";

function Choices({ chat }: { chat: Chat }) {
  const { models, layout } = useAssistant();
  const { t } = useTranslation();
  const cards = useStore(models.store, (state) => state.cards);
  const chosen = useStore(chat.store, (state) => state.chat?.model);
  const here = cards.filter(({ state }) => state === "here");
  const byDefault = cardOf(cards, undefined);
  return (
    <Menu.Portal>
      <Menu.Positioner className={styles.positioner} side="top" align="start" sideOffset={6}>
        <Menu.Popup className={styles.popup}>
          <Menu.RadioGroup
            value={chosen ?? BY_DEFAULT}
            onValueChange={(model: string) => void chat.chooseModel(model === BY_DEFAULT ? null : model)}
          >
            {byDefault && <Choice value={BY_DEFAULT} label={t("models.byDefault", { name: byDefault.name })} />}
            {here.map(({ id, name }) => (
              <Choice key={id} value={id} label={name} />
            ))}
            {chosen !== undefined && !cardOf(here, chosen) && <Choice value={chosen} label={fileNameOf(chosen)} />}
          </Menu.RadioGroup>
          <Menu.Separator className={styles.separator} />
          <Menu.Item className={styles.item} onClick={() => layout.show("models")}>
            <span className={styles.mark} />
            {t("models.more")}
          </Menu.Item>
        </Menu.Popup>
      </Menu.Positioner>
    </Menu.Portal>
  );
}

function Choice({ value, label }: { value: string; label: string }) {
  return (
    <Menu.RadioItem className={styles.item} value={value} closeOnClick>
      <span className={styles.mark}>
        <Menu.RadioItemIndicator>
          <Check size={14} aria-hidden />
        </Menu.RadioItemIndicator>
      </span>
      {visibleText(label)}
    </Menu.RadioItem>
  );
}
