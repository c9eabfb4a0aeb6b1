import { useTranslation } from "react-i18next";
import { type Command, commands, type KeyWord, keysInPlace } from "./commands.ts";
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
        <KeyList title={t("app.keysEverywhere")} keys={commands} />
        <KeyList title={t("app.keysHere")} keys={keysInPlace} />
      </section>
    </OverlayDialog>
  );
}

type ShownKey = Pick<Command, "shortcut"> & { readonly word: Command["word"] | KeyWord };

function KeyList({ title, keys }: { title: string; keys: readonly ShownKey[] }) {
  const { t } = useTranslation();
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {keys.map(
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
  );
}
