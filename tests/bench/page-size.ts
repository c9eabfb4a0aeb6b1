import { builtApp } from "../support/built-app.ts";
import { readPageScripts, sizeOf } from "../support/page-scripts.ts";
import { figure, type Group } from "./figure.ts";

/** What the page is made of, packed as it would be for a road: the same on every machine. */
export const pageSize: Group = {
  name: "page-size",
  async measure() {
    const { all, first } = readPageScripts(await builtApp());
    return [
      figure("scripts of the page, gzip", sizeOf(all) / 1000, "kB", { atMost: 900 }),
      figure("scripts of the first screen, gzip", sizeOf(first) / 1000, "kB", { atMost: 300 }),
    ];
  },
};
