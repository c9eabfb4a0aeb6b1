import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import { useAssistant } from "../lib/assistant.tsx";
import { OverlayDialog } from "../shell/OverlayDialog.tsx";
import styles from "./Cloud.module.css";
import { ConnectionCard } from "./ConnectionCard.tsx";
import { ConnectionForm } from "./ConnectionForm.tsx";
import { Problem } from "./Field.tsx";
import { VaultPart } from "./VaultPart.tsx";

/** The overlay "cloud": who may answer beyond this computer, with which models, and where the keys are. */
export function CloudDialog() {
  const { t } = useTranslation();
  return (
    <OverlayDialog title={t("cloud.title")}>
      <div className={styles.body}>
        <p className={styles.about}>{t("cloud.about")}</p>
        <Connections />
        <VaultPart />
      </div>
    </OverlayDialog>
  );
}

function Connections() {
  const { t } = useTranslation();
  const { cloud } = useAssistant();
  const { overview, problem } = useStore(cloud.store);
  const [isAdding, setAdding] = useState(false);
  /** The connection that was made just now: the next thing is a model of it. */
  const [fresh, setFresh] = useState<string | null>(null);
  const isEmpty = overview.connections.length === 0;
  return (
    <section className={styles.part}>
      <h3>{t("cloud.connections")}</h3>
      <Problem problem={problem} />
      {isEmpty && <p className={styles.about}>{t("cloud.noConnections")}</p>}
      {overview.connections.map((connection) => (
        <ConnectionCard key={connection.id} connection={connection} isFresh={connection.id === fresh} />
      ))}
      {isEmpty || isAdding ? (
        <ConnectionForm
          vendors={overview.vendors}
          vault={overview.vault}
          onDone={(connectionId) => {
            setFresh(connectionId);
            setAdding(false);
          }}
          {...(!isEmpty && { onCancel: () => setAdding(false) })}
        />
      ) : (
        <button type="button" onClick={() => setAdding(true)}>
          {t("cloud.add")}
        </button>
      )}
    </section>
  );
}
