import { AppError } from "../../shared/errors.ts";
import { classifyLink } from "../../shared/links.ts";
import type { Client } from "./client.ts";
import type { DeskParts } from "./desk-parts.ts";
import type { Handlers } from "./serve.ts";

type AppCalls = Extract<
  keyof Handlers<Client>,
  `app.${string}` | `health.${string}` | `settings.${string}` | `shell.${string}` | `stream.${string}`
>;

/** The app as a whole: its models, its settings, and what the place that shows the page can do. */
export function appHandlers({ backend }: DeskParts): Pick<Handlers<Client>, AppCalls> {
  const { models, health } = backend;
  const folders = () => ({ ...backend.folders, workspace: backend.settings().workspace ?? backend.workspace });

  return {
    "app.hello": (_input, { shell }) => ({
      version: backend.version,
      shell: shell.kind,
      platform: process.platform,
      settings: backend.settings(),
      folders: folders(),
      fetches: models.fetches(),
      storage: health.storage(),
    }),

    "health.report": () => health.report(),
    "health.check": () => {
      health.check();
      return {};
    },
    "health.backup": () => {
      health.backUp();
      return {};
    },
    "health.seen": () => {
      health.seen();
      return {};
    },
    "health.diagnostics": () => ({ text: backend.redact(health.diagnostics()) }),

    "settings.change": ({ change }) => backend.changeSettings(change),

    "shell.pickFile": async ({ kind }, { shell }) => ({
      supported: shell.pickFile !== undefined,
      path: (await shell.pickFile?.(kind)) ?? null,
    }),
    "shell.saveText": async ({ name, text }, { shell }) => ({
      supported: shell.saveText !== undefined,
      saved: (await shell.saveText?.(name, text)) ?? false,
    }),
    "shell.openLink": async ({ url }, { shell }) => {
      const allowed = allowedLink(url);
      await shell.openLink?.(allowed);
      return { supported: shell.openLink !== undefined };
    },
    "shell.showFolder": async ({ folder }, { shell }) => {
      await shell.showFolder?.(folders()[folder]);
      return { supported: shell.showFolder !== undefined };
    },
    "shell.newWindow": async (_input, { shell }) => ({
      supported: shell.newWindow !== undefined,
      address: (await shell.newWindow?.()) ?? null,
    }),

    "stream.ack": ({ seq }, { sender }) => {
      sender.ack(seq);
      return {};
    },
  };
}

/** The page has asked the person already, but it shows what a model wrote: the address is looked at once more here. */
function allowedLink(text: string): string {
  const link = classifyLink(text);
  if (link.kind === "open") return link.url;
  throw new AppError("bad-request", `This address is not opened (${link.why}). Copy it, if you trust it.`);
}
