import type { Shell } from "../../shared/bridge.ts";
import type { Caller } from "./serve.ts";
import type { StreamSender } from "./stream.ts";

/** One connected page, as the handlers see it. */
export interface Client extends Caller {
  readonly shell: Shell;
  readonly sender: StreamSender;
}
