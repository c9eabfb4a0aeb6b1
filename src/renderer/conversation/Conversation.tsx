import { Suspense, useEffect, useRef, useState } from "react";
import { useAssistant } from "../lib/assistant.tsx";
import { LinkDesk } from "../lib/links.tsx";
import type { Chat } from "../stores/chat.ts";
import { isBusy } from "../stores/chat-state.ts";
import { ComposerArea } from "./ComposerArea.tsx";
import styles from "./Conversation.module.css";
import { ConversationBar } from "./ConversationBar.tsx";
import { createComposer } from "./composer.ts";
import { createConsent } from "./consent.ts";
import { Transcript } from "./Transcript.tsx";

/** One chat: what was said, and the box to say more. */
export function Conversation({ chat }: { chat: Chat }) {
  const main = useRef<HTMLElement>(null);
  const assistant = useAssistant();
  const [consent] = useState(() => createConsent(chat, assistant));
  const [composer] = useState(() => createComposer(chat, consent.before));

  useEffect(() => {
    /** Esc leaves an edit, else it stops the answer; in a dialog or another column it means something else. */
    function onKeyDown(event: KeyboardEvent): void {
      if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
      const isHere = event.target === document.body || main.current?.contains(event.target as Node);
      if (!isHere) return;
      if (composer.store.getState().editing !== null) composer.cancelEdit();
      else if (isBusy(chat.store.getState())) void chat.stop();
    }
    window.addEventListener("keydown", onKeyDown);
    window.addEventListener("pagehide", chat.flush);
    return () => {
      window.removeEventListener("keydown", onKeyDown);
      window.removeEventListener("pagehide", chat.flush);
    };
  }, [chat, composer]);

  return (
    <LinkDesk>
      <main ref={main} className={styles.conversation} id="conversation">
        <ConversationBar chat={chat} />
        <Suspense fallback={<div className={styles.wait} />}>
          <Transcript chat={chat} composer={composer} />
        </Suspense>
        <ComposerArea chat={chat} composer={composer} consent={consent} />
      </main>
    </LinkDesk>
  );
}
