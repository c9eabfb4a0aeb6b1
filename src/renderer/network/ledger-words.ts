import type { Place } from "../../shared/cloud.ts";
import type { LedgerRow, Purpose } from "../../shared/network.ts";

/** Where something answers, in words. */
export const placeWords = {
  "this-computer": "network.onComputer",
  "local-network": "network.onNetwork",
  cloud: "network.inCloud",
} as const satisfies Record<Place, string>;

/** What a connection was made for. */
export const purposeWords = {
  answer: "network.forAnswer",
  "model-list": "network.forModels",
  "key-test": "network.forKeyTest",
  download: "network.forDownload",
  "hub-search": "network.forSearch",
  "package-index": "network.forPackages",
} as const satisfies Record<Purpose, string>;

/** How it went. */
export const outcomeWords = {
  open: "network.open",
  done: "network.done",
  failed: "network.failed",
  refused: "network.refused",
} as const satisfies Record<LedgerRow["outcome"], string>;
