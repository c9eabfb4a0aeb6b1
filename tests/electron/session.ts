import { EventEmitter } from "node:events";
import { serve } from "./parent.ts";

const unset = (): never => {
  throw new Error("the main process did not set this before it showed its page");
};

export class Session extends EventEmitter {
  request: (contents: unknown, permission: string, answer: (granted: boolean) => void) => void = unset;
  check: (contents: unknown, permission: string) => boolean = unset;
  device: (details: unknown) => boolean = unset;
  handler: (request: Request) => Promise<Response> = unset;
  filter: (details: { url: string }, answer: (answer: { cancel?: boolean }) => void) => void = unset;
  readonly setPermissionRequestHandler = (handler: typeof this.request): void => {
    this.request = handler;
  };
  readonly setPermissionCheckHandler = (handler: typeof this.check): void => {
    this.check = handler;
  };
  readonly setDevicePermissionHandler = (handler: typeof this.device): void => {
    this.device = handler;
  };
  readonly setSpellCheckerEnabled = (): void => undefined;
  readonly protocol = {
    handle: (_scheme: string, handler: typeof this.handler): void => {
      this.handler = handler;
    },
  };
  readonly webRequest = {
    onBeforeRequest: (filter: typeof this.filter): void => {
      this.filter = filter;
    },
  };
}

export const sessions = new Map<string, Session>();

function fromPartition(name: string): Session {
  const known = sessions.get(name) ?? new Session();
  sessions.set(name, known);
  return known;
}

export const session = { defaultSession: fromPartition(""), fromPartition };

function granted(one: Session, permission: string): boolean[] {
  let asked = false;
  one.request({}, permission, (answer) => {
    asked = answer;
  });
  return [one.check({}, permission), asked, one.device({ deviceType: permission })];
}

serve({
  /** What a page's request becomes: undefined is a request that the session refuses. */
  async fetch(partition: string, method: string, url: string) {
    const one = fromPartition(partition);
    const { cancel } = await new Promise<{ cancel?: boolean }>((resolve) => one.filter({ url }, resolve));
    if (cancel) return undefined;
    const response = await one.handler(new Request(url, { method }));
    const body = Buffer.from(await response.arrayBuffer());
    return { status: response.status, headers: Object.fromEntries(response.headers), body };
  },
  /** In each session: whether the check says yes, the request, and the device. */
  permission: (name: string) => [...sessions.values()].map((one) => granted(one, name)),
});
