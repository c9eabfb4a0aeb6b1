import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import type { Place } from "../../shared/cloud.ts";

/**
 * What stands behind an IP address. global: anyone on the internet. made-up: given out by a proxy program of this computer
 * (198.18.0.0/15), for a name that it will look up itself. never: nothing that Lares has business with.
 */
export type AddressKind = "global" | "loopback" | "private" | "made-up" | "never";

const kinds: Readonly<Record<string, AddressKind>> = {
  unicast: "global",
  loopback: "loopback",
  private: "private",
  carrierGradeNat: "private",
  uniqueLocal: "private",
};
/** All that is given out of IPv6; what only looks like unicast (`::127.0.0.1`, `fec0::`) lies outside. */
const givenOut = ipaddr.IPv6.parseCIDR("2000::/3");
const madeUp = ipaddr.IPv4.parseCIDR("198.18.0.0/15");

/** The kind of an address. What the library does not call unicast is not global: a list of what is good, never of what is bad. */
export function kindOf(address: string): AddressKind {
  const parsed = parse(address);
  if (parsed instanceof ipaddr.IPv4 && parsed.match(madeUp)) return "made-up";
  const kind = kinds[parsed.range()] ?? "never";
  return kind === "global" && parsed instanceof ipaddr.IPv6 && !parsed.match(givenOut) ? "never" : kind;
}

/** Whether two spellings name one address. */
export const isSameAddress = (one: string, other: string): boolean =>
  parse(one).toNormalizedString() === parse(other).toNormalizedString();

/**
 * An IPv4 address in the clothes of IPv6 (`::ffff:127.0.0.1`) counts as what it is. The old clothes (`::127.0.0.1`) are
 * written out first: the library takes them for the new ones.
 */
function parse(address: string): ipaddr.IPv4 | ipaddr.IPv6 {
  if (!address.includes(":")) return ipaddr.IPv4.parse(address);
  const [plain = ""] = address.split("%"); // without its zone
  return ipaddr.process(hostOf(new URL(`http://[${plain}]/`)));
}

/** The host as a name or an address, without the brackets of a URL and the dot of the root. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$|\.$/g, "");

/** The port that is connected to; 0 where the scheme has none. */
export const portOf = ({ port, protocol }: URL): number =>
  port === "" ? ({ "http:": 80, "https:": 443 }[protocol] ?? 0) : Number(port);

/** A name that means this computer without asking anyone. */
export const isLocalhost = (host: string): boolean => /(^|\.)localhost$/.test(host);

export const isAddress = (host: string): boolean => isIP(host) !== 0;

const places: Readonly<Record<AddressKind, Place>> = {
  loopback: "this-computer",
  private: "local-network",
  global: "cloud",
  "made-up": "cloud",
  never: "cloud",
};

/** Where something answers that has this address. */
export const placeOf = (address: string): Place => places[kindOf(address)];

const distances: readonly Place[] = ["this-computer", "local-network", "cloud"];

/** The place that is farther away. A name of the internet may lead here today and elsewhere tomorrow: people are told the worse. */
export const farther = (one: Place, other: Place): Place =>
  distances.indexOf(one) > distances.indexOf(other) ? one : other;

/** Names that are only ever given out inside a network. */
const inside = /^[^.]+$|\.(local|lan|home|internal|intranet|home\.arpa)$/;

/** Where an address of the web leads, as far as can be said without asking anyone. In doubt it is the cloud. */
export function placeOfUrl(text: string): Place {
  const host = hostOf(new URL(text));
  if (isAddress(host)) return placeOf(host);
  if (isLocalhost(host)) return "this-computer";
  return inside.test(host) ? "local-network" : "cloud";
}
