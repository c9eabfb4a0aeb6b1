import type { Dispatcher } from "undici";
import { AppError } from "../../shared/errors.ts";
import type { Purpose } from "../../shared/network.ts";
import { counted, streamOf, unpacked } from "./body.ts";
import type { Leg } from "./leg.ts";
import type { Limits } from "./limits.ts";

interface ResponseOptions {
  readonly host: string;
  readonly purpose: Purpose;
  readonly limits: Limits;
  readonly leg: Leg;
  readonly nameError: (thrown: unknown) => AppError;
}

const bodiless = [204, 205, 304];

/** What undici has, as the platform has it; when its body is read or given up, the leg ends. */
export function responseOf(answer: Dispatcher.ResponseData, options: ResponseOptions): Response {
  const { host, purpose, limits, leg, nameError } = options;
  const status = answer.statusCode;
  if (status < 200 || status > 599) throw new AppError("not-an-api", `${host} answers with HTTP ${status}.`);
  leg.meter.status = status;
  const headers = headersOf(answer.headers);
  const raw = counted(answer.body, leg.meter);
  if (bodiless.includes(status)) {
    leg.end();
    return new Response(null, { status, headers });
  }
  const end = (thrown?: unknown): AppError | undefined => {
    const error = thrown === undefined ? undefined : nameError(thrown);
    leg.end(error);
    return error;
  };
  if (purpose === "download") return new Response(streamOf(raw, end), { status, headers }); // kept as it came
  const encoding = (headers.get("content-encoding") ?? "").trim().toLowerCase();
  if (encoding !== "") for (const name of ["content-encoding", "content-length"]) headers.delete(name);
  return new Response(streamOf(unpacked(raw, encoding, { host, limits, meter: leg.meter }), end), { status, headers });
}

function headersOf(raw: Dispatcher.ResponseData["headers"]): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(raw)) {
    for (const one of [value].flat()) if (isSayable(one)) headers.append(name, one);
  }
  return headers;
}

/** The platform's headers are bytes; what is not would throw. */
const isSayable = (value: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(value);
