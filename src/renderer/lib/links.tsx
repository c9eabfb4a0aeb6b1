import { AlertDialog } from "@base-ui/react/alert-dialog";
import { createContext, type KeyboardEvent, type ReactNode, useContext, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { classifyLink } from "../../shared/links.ts";
import { useAssistant } from "./assistant.tsx";
import styles from "./links.module.css";
import { besideLink } from "./links-host.ts";
import { toasts } from "./toasts.ts";

interface Asked {
  readonly url: string;
  readonly host: string;
  readonly isWarning: boolean;
}

const AskContext = createContext<(asked: Asked) => void>(() => undefined);

const ownPort = (): number | undefined => (location.port === "" ? undefined : Number(location.port));

/** Everything inside may hold links; one question at a time is asked before one is opened. */
export function LinkDesk({ children }: { children: ReactNode }) {
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <AskContext value={setAsked}>
      {children}
      <LinkQuestion asked={asked} onClose={() => setAsked(null)} />
    </AskContext>
  );
}

/**
 * A link in text that a model or a document wrote. It has no href: Chromium looks up the host of every anchor on a page
 * like this one before anybody clicks, and a name alone can carry a secret away. `text` is what `children` say.
 */
export function Link({ address, text, children }: { address: string; text: string; children: ReactNode }) {
  const { t } = useTranslation();
  const ask = useContext(AskContext);
  const link = classifyLink(address, ownPort());
  if (link.kind === "refuse") {
    if (address === "" || address.startsWith("#")) return <span>{children}</span>;
    return (
      <span>
        {children} <small className={styles.beside}>({t(`conversation.refused-${link.why}`, { address })})</small>
      </span>
    );
  }
  const beside = besideLink(text, link);
  const open = () => ask({ url: link.url, host: link.host, isWarning: beside === "warning" });
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") open();
  };
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: an anchor with an href would be looked up before it is clicked */}
      <span role="link" tabIndex={0} className={styles.link} title={link.url} onClick={open} onKeyDown={onKeyDown}>
        {children}
      </span>
      {beside !== "nothing" && (
        <small className={beside === "warning" ? styles.warning : styles.beside}> ({link.host})</small>
      )}
    </>
  );
}

/** The whole address, before it is opened. Nothing is preselected that opens. */
function LinkQuestion({ asked, onClose }: { asked: Asked | null; onClose: () => void }) {
  const { t } = useTranslation();
  const { host } = useAssistant();
  const cancel = useRef<HTMLButtonElement>(null);
  const open = async ({ url }: Asked) => {
    onClose();
    try {
      const { supported } = await host.call("shell.openLink", { url });
      if (!supported) window.open(url, "_blank", "noopener,noreferrer");
    } catch {
      toasts.add({ title: t("conversation.linkFailed") });
    }
  };
  return (
    <AlertDialog.Root open={asked !== null} onOpenChange={(isOpen) => !isOpen && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={styles.backdrop} />
        <AlertDialog.Popup className={styles.dialog} initialFocus={cancel}>
          <AlertDialog.Title className={styles.title}>{t("conversation.linkTitle")}</AlertDialog.Title>
          {asked?.isWarning && <p className={styles.warning}>{t("conversation.linkWarning")}</p>}
          <AlertDialog.Description render={<div />}>
            <p>{t("conversation.linkLeadsTo", { host: asked?.host ?? "" })}</p>
            <code className={styles.address}>{asked?.url}</code>
          </AlertDialog.Description>
          <div className={styles.row}>
            <button type="button" onClick={() => void navigator.clipboard.writeText(asked?.url ?? "").then(onClose)}>
              {t("conversation.linkCopy")}
            </button>
            <span className={styles.space} />
            <AlertDialog.Close ref={cancel}>{t("conversation.cancel")}</AlertDialog.Close>
            <button type="button" className="primary" onClick={() => asked && void open(asked)}>
              {t("conversation.linkOpen")}
            </button>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
