import { ArrowDown } from "lucide-react";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { Virtualizer, type VirtualizerHandle } from "virtua";
import { useStore } from "zustand";
import type { Chat } from "../stores/chat.ts";
import type { Composer } from "./composer.ts";
import { EmptyChat } from "./EmptyChat.tsx";
import styles from "./Transcript.module.css";
import { TranscriptStatus } from "./TranscriptStatus.tsx";
import { Turn } from "./Turn.tsx";
import { useFollow } from "./use-follow.ts";
import { useTarget } from "./use-target.ts";

/** Nearer to the top than this, pixels, the turns before are read. */
const NEAR_TOP = 1_000;

/** Every turn of the shown branch; only those near the window are drawn. */
export function Transcript({ chat, composer }: { chat: Chat; composer: Composer }) {
  const { t } = useTranslation();
  const order = useStore(chat.store, (state) => state.order);
  const status = useStore(chat.store, (state) => state.status);
  const isEmpty = useStore(chat.store, (state) => state.waiting.length === 0 && state.order.length === 0);
  const scroller = useRef<HTMLElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const { isAtEnd, follows, onScroll, onGrowth, toEnd, leaveEnd } = useFollow(scroller);
  const flashing = useTarget({ chat, order, list, leaveEnd });
  const isShifted = useShift(order);
  const readEarlier = useEarlier(chat, scroller, follows);

  useFocusOfNewTurn({ chat, order, follows, toEnd });

  return (
    <div className={styles.frame}>
      <section
        ref={scroller}
        className={styles.scroll}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the conversation is scrolled with the keyboard too
        tabIndex={0}
        aria-label={t("conversation.transcript")}
        onScroll={() => {
          onScroll();
          readEarlier();
        }}
      >
        {status === "opening" && <p className={styles.note}>{t("conversation.opening")}</p>}
        {status === "gone" && <p className={styles.note}>{t("conversation.gone")}</p>}
        {status === "open" && isEmpty && <EmptyChat composer={composer} />}
        <Virtualizer
          ref={list}
          data={order}
          shift={isShifted}
          bufferSize={600}
          keepMounted={order.length > 0 ? [order.length - 1] : []} // what grows must be there to be followed
          onResize={() => {
            onGrowth();
            readEarlier();
          }}
        >
          {(id) => <Turn key={id} id={id} chat={chat} composer={composer} isFlashing={id === flashing} />}
        </Virtualizer>
      </section>
      {!isAtEnd && (
        <button type="button" className={styles.down} aria-label={t("conversation.jumpDown")} onClick={toEnd}>
          <ArrowDown size={18} aria-hidden />
        </button>
      )}
      <TranscriptStatus chat={chat} />
    </div>
  );
}

/** True in the one drawing in which turns come or go in front: virtua then keeps the place from the end. */
function useShift(order: readonly string[]): boolean {
  const [known, setKnown] = useState(order);
  const [before, now] = [known[0], order[0]];
  const isShifted =
    before !== undefined && now !== undefined && before !== now && (order.includes(before) || known.includes(now));
  useEffect(() => setKnown(order), [order]);
  return isShifted;
}

/** Reads the turns before while the reader is near the top, one piece at a time. Who is at the end is not near the top. */
function useEarlier(chat: Chat, scroller: RefObject<HTMLElement | null>, follows: RefObject<boolean>) {
  const isReading = useRef(false);
  return useCallback(() => {
    const box = scroller.current;
    if (!box || isReading.current || !chat.store.getState().hasEarlier) return;
    const isFull = box.scrollHeight > box.clientHeight;
    if (isFull && (follows.current || box.scrollTop > NEAR_TOP)) return;
    isReading.current = true;
    void chat.readEarlier().finally(() => {
      isReading.current = false;
    });
  }, [chat, scroller, follows]);
}

interface NewTurnOptions {
  readonly chat: Chat;
  readonly order: readonly string[];
  readonly follows: RefObject<boolean>;
  readonly toEnd: () => void;
}

/** Who sends a message wants to see it, wherever they were reading. */
function useFocusOfNewTurn({ chat, order, follows, toEnd }: NewTurnOptions): void {
  const known = useRef(order);
  useEffect(() => {
    const last = order.at(-1);
    const isNew = last !== undefined && known.current.length > 0 && !known.current.includes(last);
    known.current = order;
    if (!isNew) return;
    if (follows.current) chat.forgetEarliest();
    toEnd();
  }, [chat, order, follows, toEnd]);
}
