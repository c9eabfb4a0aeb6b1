import { createContext, useContext } from "react";

/** The ids of a setting's field, of what it is called, and of the sentence below it. */
export interface Named {
  readonly id: string;
  readonly "aria-labelledby": string;
  readonly "aria-describedby": string;
}

export const SettingContext = createContext<Named>({ id: "", "aria-labelledby": "", "aria-describedby": "" });

/** For the control of a setting: `<input {...useNamed()} />`. */
export const useNamed = (): Named => useContext(SettingContext);
