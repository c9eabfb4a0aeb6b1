import { ArrowUp, Square } from "lucide-react";
import { type ClipboardEvent, type DragEvent, type KeyboardEvent, useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { ModelPicker } from "../models/ModelPicker.tsx";
import type { Chat } from "../stores/chat.ts";
import { isBusy } from "../stores/chat-state.ts";
import styles from "./Composer.module.css";
import { type Composer, MAX_MESSAGE, textIn } from "./composer.ts";
import { composerKey } from "./composer-keys.ts";

/** The box a message is typed into, the model that will answer, and the button. */
export function ComposerBox({ chat, composer }: { chat: Chat; composer: Composer }) {
  const { t } = useTranslation();
  const text = useStore(composer.store, textIn);
  const isEditing = useStore(composer.store, (state) => state.editing !== null);
  const isRefused = useStore(composer.store, (state) => state.isRefused);
  useKeptDraft(chat, composer);
  return (
    <form
      className={styles.composer}
      onSubmit={(event) => {
        event.preventDefault();
        void composer.send();
      }}
    >
      {isEditing && (
        <div className={styles.editing}>
          {t("conversation.editing")}
          <button type="button" className="ghost" onClick={composer.cancelEdit}>
            {t("conversation.cancel")}
          </button>
        </div>
      )}
      <MessageField chat={chat} composer={composer} text={text} />
      {isRefused && (
        <p role="alert" className={styles.refused}>
          {t("conversation.tooLong")}
        </p>
      )}
      <div className={styles.row}>
        <ModelPicker chat={chat} />
        <span className={styles.space} />
        <Buttons chat={chat} isBlank={text.trim() === ""} />
      </div>
    </form>
  );
}

function MessageField({ chat, composer, text }: { chat: Chat; composer: Composer; text: string }) {
  const { t } = useTranslation();
  const field = useRef<HTMLTextAreaElement>(null);
  const wishes = useStore(composer.store, (state) => state.focusWishes);
  useEffect(() => {
    const box = field.current;
    if (!box || wishes === 0) return;
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
  }, [wishes]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (composerKey({ ...keyOf(event) }) !== "send") return;
    event.preventDefault();
    void composer.send();
  };
  /** A text that is far too long would freeze the box before anybody could refuse it. */
  const guard = (event: ClipboardEvent | DragEvent, data: DataTransfer) => {
    const { length } = data.getData("text/plain");
    if (length + text.length <= MAX_MESSAGE) return;
    event.preventDefault();
    composer.refuse();
  };
  return (
    <textarea
      ref={field}
      id="composer"
      className={styles.field}
      rows={1}
      value={text}
      aria-label={t("conversation.message")}
      placeholder={t("conversation.placeholder")}
      onChange={(event) => composer.type(event.target.value)}
      onKeyDown={onKeyDown}
      onPaste={(event) => guard(event, event.clipboardData)}
      onDrop={(event) => guard(event, event.dataTransfer)}
      onBlur={chat.flush}
    />
  );
}

const keyOf = ({ key, shiftKey, nativeEvent, keyCode }: KeyboardEvent) => ({
  key,
  shiftKey,
  isComposing: nativeEvent.isComposing,
  keyCode,
});

/** Stop while an answer is written; Send whenever there is something to send. */
function Buttons({ chat, isBlank }: { chat: Chat; isBlank: boolean }) {
  const { t } = useTranslation();
  const isRunning = useStore(chat.store, isBusy);
  return (
    <>
      {isRunning && (
        <button
          type="button"
          className={styles.stop}
          aria-label={t("conversation.stop")}
          title={t("conversation.stop")}
          onClick={() => void chat.stop()}
        >
          <Square size={13} aria-hidden fill="currentColor" />
        </button>
      )}
      {!(isRunning && isBlank) && (
        <button
          type="submit"
          className={styles.send}
          disabled={isBlank}
          aria-label={t("conversation.send")}
          title={t("conversation.send")}
        >
          <ArrowUp size={17} aria-hidden />
        </button>
      )}
    </>
  );
}

/** What had been typed in this chat comes back once the chat is there. */
function useKeptDraft(chat: Chat, composer: Composer): void {
  const isOpen = useStore(chat.store, (state) => state.status === "open");
  useEffect(() => {
    if (isOpen) composer.adopt(chat.store.getState().draft);
  }, [isOpen, chat, composer]);
}
