import { Autocomplete } from "@base-ui/react/autocomplete";
import { MessageSquare, Search } from "lucide-react";
import { useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { useAssistant } from "../lib/assistant.tsx";
import styles from "./CommandPalette.module.css";
import { Keys } from "./Keys.tsx";
import { OverlayDialog } from "./OverlayDialog.tsx";
import { type PaletteGroup, type PaletteItem, paletteGroups } from "./palette-items.ts";
import { runCommand } from "./use-shortcuts.ts";

/** Everything by name: the commands, the chats by their titles, and the search in them. */
export function CommandPalette() {
  const { t } = useTranslation();
  const assistant = useAssistant();
  const field = useRef<HTMLInputElement>(null);
  const [query, setQuery] = useState("");
  return (
    <OverlayDialog title={t("app.palette")} hasHead={false} initialFocus={field}>
      <Autocomplete.Root
        open
        inline
        mode="none"
        items={paletteGroups(assistant, query)}
        filter={null}
        value={query}
        onValueChange={setQuery}
        itemToStringValue={(item: PaletteItem) => item.label}
        autoHighlight="always"
        keepHighlight
      >
        <Autocomplete.Input
          ref={field}
          className={styles.field}
          aria-label={t("app.palette")}
          placeholder={t("app.paletteHint")}
        />
        <Autocomplete.List className={styles.list}>
          {(group: PaletteGroup) => (
            <Autocomplete.Group key={group.name} items={group.items}>
              <Autocomplete.GroupLabel className={styles.group}>{group.name}</Autocomplete.GroupLabel>
              <Autocomplete.Collection>
                {(item: PaletteItem) => (
                  <Autocomplete.Item
                    key={item.id}
                    value={item}
                    className={styles.item}
                    onClick={() => runCommand(item, assistant)}
                  >
                    <Icon kind={item.kind} />
                    <span className={styles.label} dir="auto">
                      {item.label}
                    </span>
                    {item.shortcut && <Keys shortcut={item.shortcut} />}
                  </Autocomplete.Item>
                )}
              </Autocomplete.Collection>
            </Autocomplete.Group>
          )}
        </Autocomplete.List>
      </Autocomplete.Root>
    </OverlayDialog>
  );
}

function Icon({ kind }: { kind: PaletteItem["kind"] }) {
  if (kind === "chat") return <MessageSquare size={14} aria-hidden="true" />;
  return kind === "search" && <Search size={14} aria-hidden="true" />;
}
