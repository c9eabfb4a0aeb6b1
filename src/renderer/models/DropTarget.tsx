import { useEffect, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./DropTarget.module.css";

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") ?? false;

/**
 * The whole window takes a model file that is dropped on it, and says so while it is dragged. Other files open nothing.
 * `show`: the models come into sight.
 */
export function DropTarget({ show }: { show: () => void }) {
  const { models } = useAssistant();
  const showing = useRef(show);
  showing.current = show;
  const { t } = useTranslation();
  const [isOver, setOver] = useState(false);

  useEffect(() => {
    function over(event: DragEvent): void {
      if (!hasFiles(event)) return;
      event.preventDefault(); // a browser would open the file in place of the page
      setOver(true);
    }
    function leave(event: DragEvent): void {
      if (event.relatedTarget === null) setOver(false); // out of the window, not from one part of it to another
    }
    function drop(event: DragEvent): void {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      const file = [...(event.dataTransfer?.files ?? [])].find(({ name }) => name.toLowerCase().endsWith(".gguf"));
      if (!file) return;
      showing.current();
      void models.take(file);
    }
    window.addEventListener("dragover", over);
    window.addEventListener("dragleave", leave);
    window.addEventListener("drop", drop);
    return () => {
      window.removeEventListener("dragover", over);
      window.removeEventListener("dragleave", leave);
      window.removeEventListener("drop", drop);
    };
  }, [models]);

  return isOver ? (
    <div className={styles.target} role="status">
      {t("models.dropHere")}
    </div>
  ) : null;
}
