import type { CloudPreset } from "../../../src/shared/cloud.ts";
import type { ModelRequest, PromptMessage } from "../../../src/shared/inference.ts";
import { aRequest, connect, person, testKey } from "./connect.ts";
import { type Heard, hear } from "./hear.ts";
import type { Answer, Reply } from "./script.ts";
import { type Received, type StandIn, startStandIn } from "./stand-in.ts";
import type { Vendor } from "./vendors.ts";

/** passed and failed are what a run found; none: this vendor has no such thing. */
export type Outcome = "passed" | "failed" | "none";

export interface ConformanceCase {
  /** Its row in the table. */
  readonly name: string;
  /** What the test says. */
  readonly behaves: string;
  readonly applies?: (vendor: Vendor) => boolean;
  run(vendor: Vendor): Promise<void>;
}

export interface Talk extends ReturnType<typeof connect> {
  readonly server: StandIn;
  ask(messages: readonly PromptMessage[], more?: Partial<ModelRequest>): Promise<Heard>;
  /** The newest request as the server read it. */
  last(): Received;
}

/** Starts a stand-in with a script, connects to it, and ends both. */
export const withVendor = async (
  vendor: Vendor,
  script: readonly (Answer | Reply)[],
  work: (talk: Talk) => Promise<void>,
  preset: Partial<CloudPreset> = {},
): Promise<void> => {
  const key = vendor.keyless ? {} : { key: testKey };
  const server = await startStandIn({ wire: vendor.wire, base: vendor.base, ...key, script });
  const link = connect({ vendor, baseUrl: server.baseUrl, preset });
  try {
    await work({
      ...link,
      server,
      ask: (messages, more) => hear(link.provider, aRequest(messages, more)),
      last: () => server.requests.at(-1)!,
    });
  } finally {
    await link.provider.close();
    await server.close();
  }
};

export const thinking = { reasoning: "medium" } as const;
export const tellsThoughts = ({ tellsThoughts }: Vendor) => tellsThoughts;
/** As the runner makes them: turn, iteration, place. */
export const ownId = (at: number) => `00mimnzy5k3x9a_1_${at}`;
export const question = person("What is the code in a.txt?");

export const resultOf = (at: number, text: string, callId = ownId(at)): PromptMessage => ({
  role: "tool",
  parts: [{ type: "tool-result", callId, name: "read_file", text, failed: false }],
});
