import type { MenuItemConstructorOptions } from "electron";
import type { Say } from "./language.ts";

export interface MenuActions {
  newChat(): void;
  newWindow(): void;
}

interface MenuPlace {
  readonly say: Say;
  readonly platform: NodeJS.Platform;
  /** Shows the menu items for whoever works on Lares. */
  readonly developing: boolean;
}

type Items = MenuItemConstructorOptions[];
const line = { type: "separator" } as const;

/** The menu of the application, as data. A new chat has the keys that the page listens to itself; the others are not its. */
export function menuTemplate({ say, platform, developing }: MenuPlace, actions: MenuActions): Items {
  const mac = platform === "darwin";
  const quit: Items = mac ? [] : [line, { role: "quit", label: say("window.quit") }];
  const own: Items = mac ? [{ label: "Lares", submenu: ownItems(say) }] : [];
  const file: Items = [
    { label: say("window.newChat"), accelerator: "CmdOrCtrl+Shift+O", click: actions.newChat },
    { label: say("window.newWindow"), accelerator: "CmdOrCtrl+Shift+N", click: actions.newWindow },
    line,
    { role: "close", label: say("window.close") },
    ...quit,
  ];
  return [
    ...own,
    { label: say("window.file"), submenu: file },
    { label: say("window.edit"), submenu: editItems(say) },
    { label: say("window.view"), submenu: viewItems(say, developing) },
    { label: say("window.window"), submenu: [{ role: "minimize", label: say("window.minimize") }] },
  ];
}

/** The menu of the tray. */
export function trayTemplate(say: Say, actions: { show(): void; newChat(): void; quit(): void }): Items {
  return [
    { label: say("window.showLares"), click: actions.show },
    { label: say("window.newChat"), click: actions.newChat },
    line,
    { label: say("window.quit"), click: actions.quit },
  ];
}

function ownItems(say: Say): Items {
  return [
    { role: "about", label: say("window.about") },
    line,
    { role: "hide", label: say("window.hide") },
    { role: "hideOthers", label: say("window.hideOthers") },
    { role: "unhide", label: say("window.showAll") },
    line,
    { role: "quit", label: say("window.quit") },
  ];
}

function editItems(say: Say): Items {
  return [
    { role: "undo", label: say("window.undo") },
    { role: "redo", label: say("window.redo") },
    line,
    { role: "cut", label: say("window.cut") },
    { role: "copy", label: say("window.copy") },
    { role: "paste", label: say("window.paste") },
    { role: "selectAll", label: say("window.selectAll") },
  ];
}

function viewItems(say: Say, developing: boolean): Items {
  const tools: Items = developing ? [{ role: "toggleDevTools", label: say("window.developerTools") }] : [];
  return [
    { role: "reload", label: say("window.reload") },
    ...tools,
    line,
    { role: "resetZoom", label: say("window.actualSize") },
    { role: "zoomIn", label: say("window.zoomIn") },
    { role: "zoomOut", label: say("window.zoomOut") },
    line,
    { role: "togglefullscreen", label: say("window.fullScreen") },
  ];
}
