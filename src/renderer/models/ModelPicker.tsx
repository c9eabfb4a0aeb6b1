import { Menu } from "@base-ui/react/menu";
import { Check, ChevronDown } from "lucide-react";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { modelOfPreset, presetIdOf } from "../../shared/cloud.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { placeWords } from "../network/ledger-words.ts";
import type { Chat } from "../stores/chat.ts";
import { linkedPreset, useModel } from "./chat-model.ts";
import { cardOf, fileNameOf } from "./download.ts";
import styles from "./ModelPicker.module.css";
import { useActivity } from "./use-activity.ts";

/** Local ▾ | Cloud ▾: which model answers in this chat, and where. It says too when one is on its way. */
export function ModelPicker({ chat }: { chat: Chat }) {
  const model = useModel(chat);
  return (
    <span className={styles.switch}>
      <Local chat={chat} model={model} />
      <Cloud chat={chat} model={model} />
    </span>
  );
}

interface SideProps {
  readonly chat: Chat;
  readonly model: string | undefined;
}

function Local({ chat, model }: SideProps) {
  const { models, layout } = useAssistant();
  const { t } = useTranslation();
  const cards = useStore(models.store, (state) => state.cards);
  const own = useStore(chat.store, (state) => state.chat?.model);
  const activity = useActivity(chat);
  const isChosen = presetIdOf(model) === undefined;
  const name = cardOf(cards, own)?.name ?? (model === undefined ? undefined : fileNameOf(model));
  const isUsable = cards.some(({ state }) => state === "here") || model !== undefined;

  if (isChosen && (!isUsable || name === undefined)) {
    return (
      <button type="button" className={styles.pick} data-state="none" onClick={() => layout.show("models")}>
        {activity ?? t("models.noneYet")}
      </button>
    );
  }
  const shown = isChosen ? (activity ?? `${t("models.local")} · ${visibleText(name ?? "")}`) : t("models.local");
  return (
    <Side place="local" isChosen={isChosen} said={isChosen ? t("models.pick") : t("models.pickLocal")} shown={shown}>
      <LocalChoices chat={chat} />
    </Side>
  );
}

function Cloud({ chat, model }: SideProps) {
  const { cloud } = useAssistant();
  const { t } = useTranslation();
  const overview = useStore(cloud.store, (state) => state.overview);
  const isChosen = presetIdOf(model) !== undefined;
  const name = linkedPreset(overview, model)?.preset.name ?? t("cloud.removed");
  const shown = isChosen ? `${t("cloud.cloud")} · ${visibleText(name)}` : t("cloud.cloud");
  return (
    <Side place="cloud" isChosen={isChosen} said={isChosen ? t("models.pick") : t("cloud.pick")} shown={shown}>
      <CloudChoices chat={chat} model={model} />
    </Side>
  );
}

interface ButtonProps {
  readonly place: "local" | "cloud";
  readonly isChosen: boolean;
  /** What the button is, for those who do not see which half is lit. */
  readonly said: string;
  readonly shown: string;
  readonly children: ReactNode;
}

function Side({ place, isChosen, said, shown, children }: ButtonProps) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className={styles.pick} data-place={place} data-chosen={isChosen || undefined}>
        <span className="unseen">{said} </span>
        {isChosen && <span className={styles.dot} aria-hidden />}
        <span className={styles.name}>{shown}</span>
        <ChevronDown size={13} aria-hidden />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className={styles.positioner} side="top" align="start" sideOffset={6}>
          <Menu.Popup className={styles.popup}>{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** No choice is a choice too: the default, whatever it will be. */
const BY_DEFAULT = "";

function LocalChoices({ chat }: { chat: Chat }) {
  const { models, layout, settings } = useAssistant();
  const { t } = useTranslation();
  const cards = useStore(models.store, (state) => state.cards);
  const isCloudByDefault = useStore(settings.store, (state) => presetIdOf(state.settings.model) !== undefined);
  const chosen = useStore(chat.store, (state) => state.chat?.model);
  const here = cards.filter(({ state }) => state === "here");
  const byDefault = isCloudByDefault ? undefined : cardOf(cards, undefined);
  const isFile = chosen !== undefined && presetIdOf(chosen) === undefined && !cardOf(here, chosen);
  return (
    <>
      <Menu.RadioGroup
        value={chosen ?? BY_DEFAULT}
        onValueChange={(model: string) => void chat.chooseModel(model === BY_DEFAULT ? null : model)}
      >
        {byDefault && <Choice value={BY_DEFAULT} label={t("models.byDefault", { name: byDefault.name })} />}
        {here.map(({ id, name }) => (
          <Choice key={id} value={id} label={name} />
        ))}
        {isFile && <Choice value={chosen} label={fileNameOf(chosen)} />}
      </Menu.RadioGroup>
      <Menu.Separator className={styles.separator} />
      <More label={t("models.more")} onPick={() => layout.show("models")} />
    </>
  );
}

function CloudChoices({ chat, model }: SideProps) {
  const { cloud, layout } = useAssistant();
  const { t } = useTranslation();
  const overview = useStore(cloud.store, (state) => state.overview);
  return (
    <>
      {overview.presets.length === 0 && <p className={styles.none}>{t("cloud.pickNone")}</p>}
      <Menu.RadioGroup value={model ?? ""} onValueChange={(chosen: string) => void chat.chooseModel(chosen)}>
        {overview.presets.map(({ id, name }) => {
          const connection = linkedPreset(overview, modelOfPreset(id))?.connection;
          const where = connection && { host: connection.host, place: t(placeWords[connection.place]) };
          return (
            <Choice
              key={id}
              value={modelOfPreset(id)}
              label={name}
              {...(where && { help: t("cloud.hostIn", where) })}
            />
          );
        })}
      </Menu.RadioGroup>
      <Menu.Separator className={styles.separator} />
      <More
        label={t(overview.presets.length === 0 ? "cloud.setUp" : "cloud.manage")}
        onPick={() => layout.show("cloud")}
      />
    </>
  );
}

function Choice({ value, label, help }: { value: string; label: string; help?: string }) {
  return (
    <Menu.RadioItem className={styles.item} value={value} closeOnClick>
      <span className={styles.mark}>
        <Menu.RadioItemIndicator>
          <Check size={14} aria-hidden />
        </Menu.RadioItemIndicator>
      </span>
      <span>
        {visibleText(label)}
        {help !== undefined && <small className={styles.help}>{help}</small>}
      </span>
    </Menu.RadioItem>
  );
}

function More({ label, onPick }: { label: string; onPick: () => void }) {
  return (
    <Menu.Item className={styles.item} onClick={onPick}>
      <span className={styles.mark} />
      {label}
    </Menu.Item>
  );
}
