import { EventEmitter } from "node:events";

/** What the main process did with Electron, and how it answered; printed as JSON when its page is loaded. */
export interface Report {
  readonly sandboxed: boolean;
  readonly schemes: unknown;
  readonly preferences: unknown;
  readonly loaded: string;
  readonly page: { status: number; text: string };
  readonly missing: number;
  /** What was let through of all that a hostile page tries. */
  readonly allowed: readonly string[];
}

const hostileAddresses = [
  "file:///etc/passwd",
  "https://evil.test/",
  "http://localhost@evil.test/",
  "smb://evil/share",
];
const permissions = `geolocation media midi hid usb serial display-capture clipboard-read pointerLock
  openExternal storage-access idle-detection notifications fullscreen`.split(/\s+/);

const unset = (): never => {
  throw new Error("the main process did not set this before it loaded the page");
};

class Application extends EventEmitter {
  readonly isPackaged = true;
  sandboxed = false;
  readonly requestSingleInstanceLock = (): boolean => process.env.STAND_IN_SECOND !== "yes";
  readonly enableSandbox = (): void => {
    this.sandboxed = true;
  };
  readonly whenReady = async (): Promise<void> => undefined;
  readonly getAppPath = (): string => process.cwd();
  readonly quit = (): void => void process.stdout.write("quit\n");
  readonly exit = (code: number): void => process.exit(code);
}

class Session extends EventEmitter {
  request: (contents: unknown, permission: string, answer: (granted: boolean) => void) => void = unset;
  check: (contents: unknown, permission: string) => boolean = unset;
  device: (details: unknown) => boolean = unset;
  readonly setPermissionRequestHandler = (handler: typeof this.request): void => {
    this.request = handler;
  };
  readonly setPermissionCheckHandler = (handler: typeof this.check): void => {
    this.check = handler;
  };
  readonly setDevicePermissionHandler = (handler: typeof this.device): void => {
    this.device = handler;
  };
}

class Contents extends EventEmitter {
  open: (details: { url: string }) => { action: string } = unset;
  readonly setWindowOpenHandler = (handler: typeof this.open): void => {
    this.open = handler;
  };
}

export const app = new Application();
export const session = { defaultSession: new Session() };
export const dialog = { showErrorBox: (title: string, text: string): void => void process.stderr.write(title + text) };

let schemes: unknown;
let serve: (request: Request) => Promise<Response> = unset;
export const protocol = {
  registerSchemesAsPrivileged: (list: unknown): void => {
    schemes = list;
  },
  handle: (_scheme: string, handler: typeof serve): void => {
    serve = handler;
  },
};

export class BrowserWindow extends EventEmitter {
  static readonly getAllWindows = (): BrowserWindow[] => [];
  readonly webContents = new Contents();
  readonly preferences: unknown;
  readonly show = (): void => undefined;

  constructor(options: { webPreferences: unknown }) {
    super();
    this.preferences = options.webPreferences;
    app.emit("web-contents-created", {}, this.webContents);
  }

  async loadURL(url: string): Promise<void> {
    const page = await serve(new Request(url));
    const { status: missing } = await serve(new Request(new URL("/../package.json", url)));
    const { sandboxed } = app;
    const shown = { status: page.status, text: await page.text() };
    const allowed = whatIsAllowed(this.webContents);
    const report: Report = {
      sandboxed,
      schemes,
      preferences: this.preferences,
      loaded: url,
      page: shown,
      missing,
      allowed,
    };
    process.stdout.write(`${JSON.stringify(report)}\n`);
  }
}

function whatIsAllowed(contents: Contents): string[] {
  const { defaultSession } = session;
  const allowed = permissions.filter((name) => defaultSession.check(contents, name) || defaultSession.device({ name }));
  for (const name of permissions) {
    defaultSession.request(contents, name, (granted) => void (granted && allowed.push(`ask ${name}`)));
  }
  allowed.push(...hostileAddresses.filter((url) => contents.open({ url }).action !== "deny"));
  allowed.push(...hostileAddresses.filter((url) => !prevents(contents, "will-frame-navigate", url)));
  if (!prevents(contents, "will-attach-webview")) allowed.push("webview");
  if (!prevents(defaultSession, "will-download")) allowed.push("download");
  return allowed;
}

function prevents(source: EventEmitter, event: string, url = ""): boolean {
  let prevented = false;
  source.emit(event, {
    url,
    preventDefault: () => {
      prevented = true;
    },
  });
  return prevented;
}
