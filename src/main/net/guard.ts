import { AppError } from "../../shared/errors.ts";
import type { Purpose } from "../../shared/network.ts";
import { type AddressKind, hostOf, isAddress, isLocalhost, kindOf, portOf } from "./addresses.ts";
import type { Errand } from "./errand.ts";

const ports = [80, 443, 8080, 8443];
/** A key in an address is in every log between here and there. */
const keyNames = /^(api[-_]?)?key$|^(access|auth|api)[-_]?token$|^token$|^(client[-_]?)?secret$|^password$/i;
/** What goes out on the click of a person, Local mode or not. */
const byHandPurposes: readonly Purpose[] = ["download", "hub-search", "package-index"];
/** Requests with a key: they stay with the one who was asked. */
const keyedPurposes: readonly Purpose[] = ["answer", "model-list", "key-test"];

const refused = (message: string): AppError => new AppError("address-refused", message);
const isGranted = (url: URL, { granted }: Errand): boolean => url.origin === granted;

/** What can be said of an address before anyone is asked. Throws address-refused. */
export function checkUrl(url: URL, errand: Errand): void {
  const host = hostOf(url);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw refused(`${url.protocol} is not a way that Lares goes. Use an address that begins with https://.`);
  if (url.username !== "" || url.password !== "")
    throw refused(`The address of ${host} has a name or password in it. A key goes into its own field.`);
  if (!ports.includes(portOf(url)) && !isGranted(url, errand))
    throw refused(`Port ${portOf(url)} of ${host} is not one of the web. Only an address that you typed may have it.`);
  if (isAddress(host)) checkAddresses(url, [host], errand);
}

/** Nobody else's: the addresses that others hand us (redirects) have such names in them. */
export function checkNoKey({ searchParams }: URL): void {
  const name = [...searchParams.keys()].find((key) => keyNames.test(key));
  if (name !== undefined)
    throw refused(`The address has a key in it (?${name}=). Anyone on the way could read it: give it its own field.`);
}

/** Every address that a name has must be one that may be connected to: one bad one spoils them all. Throws address-refused. */
export function checkAddresses(url: URL, addresses: readonly string[], errand: Errand): void {
  const allowed: readonly AddressKind[] = isGranted(url, errand)
    ? ["global", "loopback", "private", "made-up"]
    : ["global"];
  const kind = addresses.map(kindOf).find((one) => !allowed.includes(one));
  if (kind !== undefined) throw refused(`${hostOf(url)} ${wordsFor[kind]}. Nothing was sent.`);
}

const wordsFor: Readonly<Record<AddressKind, string>> = {
  global: "is on the internet",
  loopback: "is this computer itself, and nobody has allowed that address",
  private: "is inside a private network, and nobody has allowed that address",
  "made-up":
    "has an address made up by a proxy program of this computer. Let it give real ones, or type the address yourself",
  never: "has an address that nothing may be sent to",
};

/** Local mode: this computer, or what a person has clicked for. Asks nobody: a look-up leaves too. Throws local-mode. */
export function checkLocalMode(host: string, { purpose, byHand }: Errand): void {
  const isHere = isLocalhost(host) || (isAddress(host) && kindOf(host) === "loopback");
  if (!isHere && !isByHand({ purpose, byHand })) throw localMode(host);
}

/** What Local mode lets out. */
export const isByHand = ({ purpose, byHand }: Pick<Errand, "purpose"> & { byHand?: boolean | undefined }): boolean =>
  byHand === true && byHandPurposes.includes(purpose);

export const localMode = (host: string): AppError =>
  new AppError(
    "local-mode",
    `Local mode is on: nothing goes to ${host}. Use a model of this computer, or turn Local mode off.`,
  );

/** Where a redirect may lead. Throws address-refused. */
export function checkRedirect(from: URL, to: URL, { purpose }: Errand): void {
  const isDowngrade = from.protocol === "https:" && to.protocol !== "https:";
  if (isDowngrade || !/^https?:$/.test(to.protocol))
    throw refused(
      `${hostOf(from)} redirects to an address that is not safe to follow. Nothing was fetched from there.`,
    );
  if (from.origin !== to.origin && keyedPurposes.includes(purpose))
    throw refused(`${hostOf(from)} sends Lares on to ${hostOf(to)}. A key stays with the one it was given for.`);
}
