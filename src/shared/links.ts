/** What is used here of the one parser that Node and the page both have. */
interface Address {
  readonly href: string;
  readonly protocol: string;
  readonly host: string;
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
  readonly username: string;
  readonly password: string;
  readonly searchParams: Iterable<[string, string]>;
}
declare const URL: { new (text: string): Address; canParse(text: string): boolean };

/** Why an address is not opened. The page has words for each. */
export type Refusal =
  | "not-an-address" // it does not read as one, or hides something in spaces or control characters
  | "scheme" // it would start another program than a browser or a mail program
  | "user-info" // what stands before an @ only pretends to be the host
  | "this-computer" // a program on this computer, Lares itself among them
  | "mail-field" // a mail with more than a receiver, a subject and a text
  | "too-long";

export type Link =
  | { readonly kind: "open"; readonly url: string; readonly host: string }
  | { readonly kind: "refuse"; readonly why: Refusal };

/** Windows opens no longer address. */
export const MAX_LINK_LENGTH = 2081;
/** Subject and text of a mail, characters as they stand in the address. */
const MAX_MAIL_FIELD = 2048;

const refuse = (why: Refusal): Link => ({ kind: "refuse", why });

/**
 * Whether an address from a model, a document or a person may be opened outside, after the person was shown `host`: a
 * web page or a mail, nothing else. `url` is written anew by the parser: what is opened is what was understood, with
 * the host in the form that shows letters which only look like others (xn--…). For a mail `host` is its receiver.
 * `ownPort`: where Lares itself listens.
 */
export function classifyLink(text: string, ownPort?: number): Link {
  if (text.length > MAX_LINK_LENGTH) return refuse("too-long");
  if (/^\s|\s$|\p{Cc}/u.test(text) || !URL.canParse(text)) return refuse("not-an-address");
  const address = new URL(text);
  if (address.href.length > MAX_LINK_LENGTH) return refuse("too-long");
  if (address.protocol === "mailto:") return classifyMail(address);
  if (address.protocol !== "https:" && address.protocol !== "http:") return refuse("scheme");
  if (address.username !== "" || address.password !== "") return refuse("user-info");
  if (isThisComputer(address.hostname) || (ownPort !== undefined && portOf(address) === ownPort)) {
    return refuse("this-computer");
  }
  return { kind: "open", url: address.href, host: address.host };
}

function classifyMail({ href, pathname, searchParams }: Address): Link {
  if (!/^[^\s@%,;:<>"\\]+@[^\s@%,;:<>"\\]+$/.test(pathname)) return refuse("not-an-address");
  for (const [field, value] of searchParams) {
    if (field !== "subject" && field !== "body") return refuse("mail-field");
    if (value.length > MAX_MAIL_FIELD) return refuse("too-long");
    if (field === "subject" && /\p{Cc}/u.test(value)) return refuse("mail-field"); // a line more is a header more
  }
  return { kind: "open", url: href, host: pathname };
}

/** The parser has brought every way to write an IPv4 address, and the names' capitals, into one form. */
function isThisComputer(hostname: string): boolean {
  const name = hostname.replace(/\.$/, "");
  if (name === "localhost" || name.endsWith(".localhost")) return true;
  return /^(127\.|0\.0\.0\.0$|\[::1?\]$|\[::ffff:(7f[0-9a-f]{2}|0):|\[::7f[0-9a-f]{2}:)/.test(name);
}

function portOf({ port, protocol }: Address): number {
  if (port !== "") return Number(port);
  return protocol === "https:" ? 443 : 80;
}

/** Files that only show something. What can run, install, or load more from elsewhere is not among them. */
const shownTypes: ReadonlySet<string> = new Set(
  `txt text md markdown log csv tsv json xml yaml yml toml ini pdf epub rtf doc docx xls xlsx ppt pptx odt ods odp
   png jpg jpeg gif webp bmp tif tiff heic avif mp3 m4a wav flac ogg oga opus mp4 m4v mov mkv webm avi
   zip gz tar 7z`.split(/\s+/),
);

/** Whether a file may be opened with its program, or only be shown in its folder. Decided by its name alone. */
export function openPath(path: string): "open" | "show-in-folder" {
  const name = path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
  if (/[\p{Cc}\p{Cf}:]|[. ]$/u.test(name)) return "show-in-folder"; // names that read as another type than they are
  const dot = name.lastIndexOf(".");
  return dot > 0 && shownTypes.has(name.slice(dot + 1).toLowerCase()) ? "open" : "show-in-folder";
}
