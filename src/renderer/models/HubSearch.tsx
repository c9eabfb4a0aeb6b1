import { type FormEvent, useId, useState } from "react";
import { useTranslation } from "react-i18next";
import { useStore } from "zustand";
import type { HubFile } from "../../shared/views.ts";
import { useAssistant } from "../lib/assistant.tsx";
import { visibleText } from "../lib/plain-text.ts";
import { sizeOf } from "./figures.ts";
import styles from "./HubSearch.module.css";
import { FitTag } from "./ModelTile.tsx";

/** Model files of the hub, by name. In Local mode each search is let out by its own click. */
export function HubSearch() {
  const { models, settings } = useAssistant();
  const { t } = useTranslation();
  const [query, setQuery] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [files, setFiles] = useState<readonly HubFile[]>();
  const isLocal = useStore(settings.store, (state) => state.settings.localMode);
  const [field, note] = [useId(), useId()];

  async function search(event: FormEvent): Promise<void> {
    event.preventDefault();
    setBusy(true);
    setFiles(await models.search(query.trim()));
    setBusy(false);
  }

  return (
    <section className={styles.hub} aria-label={t("models.search")}>
      <form className={styles.form} onSubmit={(event) => void search(event)}>
        <label htmlFor={field}>{t("models.search")}</label>
        <input
          id={field}
          type="search"
          spellCheck={false}
          autoComplete="off"
          maxLength={200}
          placeholder={t("models.searchHint")}
          aria-describedby={isLocal ? note : undefined}
          value={query}
          onChange={({ target }) => setQuery(target.value)}
        />
        <button type="submit" disabled={isBusy || query.trim() === ""}>
          {t(isBusy ? "models.searching" : isLocal ? "models.searchOnce" : "models.searchGo")}
        </button>
      </form>
      {isLocal && (
        <small id={note} className={styles.note}>
          {t("models.searchLocal")}
        </small>
      )}
      <p role="status" className={styles.note}>
        {files && (files.length > 0 ? t("models.found", { count: files.length }) : t("models.foundNone"))}
      </p>
      <ul className={styles.files}>
        {files?.map((file) => (
          <Found key={`${file.repository}/${file.file}`} file={file} />
        ))}
      </ul>
    </section>
  );
}

/** One file; what it says of itself was written by whoever put it there. */
function Found({ file }: { file: HubFile }) {
  const { models } = useAssistant();
  const { t, i18n } = useTranslation();
  const { repository, file: path, bytes, parts, quantisation, licence, downloads, fit } = file;
  const name = visibleText(path);
  const facts = [
    sizeOf(bytes, i18n.language),
    parts > 1 && t("models.files", { count: parts }),
    quantisation,
    licence,
    downloads !== undefined && t("models.downloads", { count: downloads }),
  ];
  return (
    <li className={styles.file}>
      <div className={styles.about}>
        <b>{name}</b> <FitTag fit={fit} />
        <small>{visibleText([repository, ...facts].filter(Boolean).join(" · "))}</small>
      </div>
      {fit !== "too-big" && (
        <button
          type="button"
          aria-label={t("models.named", { action: t("models.get"), name })}
          onClick={() => void models.fetchFile(file)}
        >
          {t("models.get")}
        </button>
      )}
    </li>
  );
}
