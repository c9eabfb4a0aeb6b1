import { useId } from "react";
import styles from "./SettingsDialog.module.css";
import { useNamed } from "./setting-context.ts";

interface ChoiceProps<V extends string> {
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string; readonly lang?: string }[];
  onChange(value: V): void;
}

/** One of a few, all of them in sight. */
export function Choice<V extends string>({ value, options, onChange }: ChoiceProps<V>) {
  const name = useId();
  return (
    <div role="radiogroup" className={styles.choice} {...useNamed()}>
      {options.map((option) => (
        <label key={option.value} lang={option.lang}>
          <input
            type="radio"
            className="unseen"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </div>
  );
}
