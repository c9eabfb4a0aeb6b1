import { useTranslation } from "react-i18next";
import { commands, keysInPlace } from "./commands.ts";
import { Keys } from "./Keys.tsx";
import { OverlayDialog } from "./OverlayDialog.tsx";
import styles from "./ShortcutSheet.module.css";

/** Every shortcut on one sheet. */
export function ShortcutSheet() {
  const { t } = useTranslation();
  return (
    <OverlayDialog title={t("app.shortcuts")}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reachable by keyboard */}
      <section className={styles.sheet} tabIndex={0} aria-label={t("app.shortcuts")}>
        <section>
          <h3>{t("app.keysEverywhere")}</h3>
          <dl>
            {commands.map(
              ({ word, shortcut }) =>
                shortcut && (
                  <div key={word}>
                    <dt>{t(word)}</dt>
                    <dd>
                      <Keys shortcut={shortcut} />
                    </dd>
                  </div>
                ),
            )}
          </dl>
        </section>
        <section>
          <h3>{t("app.keysHere")}</h3>
          <dl>
            {keysInPlace.map(({ word, shortcut }) => (
              <div key={word}>
                <dt>{t(word)}</dt>
                <dd>
                  <Keys shortcut={shortcut} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      </section>
    </OverlayDialog>
  );
}
