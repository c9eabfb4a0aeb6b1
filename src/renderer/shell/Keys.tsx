import { isMac, keysOf, type Shortcut } from "../lib/shortcuts.ts";
import styles from "./Keys.module.css";

/** A shortcut as keys. */
export function Keys({ shortcut }: { shortcut: Shortcut }) {
  return (
    <span className={styles.keys}>
      {keysOf(shortcut, isMac).map((key) => (
        <kbd key={key}>{key}</kbd>
      ))}
    </span>
  );
}
