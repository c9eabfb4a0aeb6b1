import { app, type Event, type Session, type WebContents } from "electron";
import { grantedPermissions, mayLoad, mayNavigate } from "./lockdown.ts";

const refuse = (event: Event): void => event.preventDefault();

/** Everything that any window, frame or certificate may ask of the app is refused. Before the app is ready. */
export function guardApp(page: string): void {
  app.on("web-contents-created", (_event, contents) => guardContents(contents, page));
  app.on("certificate-error", (event, _contents, _url, _error, _certificate, trust) => {
    event.preventDefault();
    trust(false);
  });
  app.on("select-client-certificate", (event, _contents, _url, _certificates, choose) => {
    event.preventDefault();
    choose();
  });
  app.on("login", (event, _contents, _details, _proxy, answer) => {
    event.preventDefault();
    answer();
  });
}

/** What a session gives to its pages: their own files, and the two permissions of `grantedPermissions`. */
export function guardSession(session: Session, page: string): void {
  session.setPermissionRequestHandler((_contents, permission, answer) => answer(grantedPermissions.has(permission)));
  session.setPermissionCheckHandler((_contents, permission) => grantedPermissions.has(permission));
  session.setDevicePermissionHandler(() => false);
  session.setSpellCheckerEnabled(false);
  session.on("will-download", refuse);
  session.on("select-hid-device", (event, _details, choose) => {
    event.preventDefault();
    choose();
  });
  session.on("select-usb-device", (event, _details, choose) => {
    event.preventDefault();
    choose();
  });
  session.on("select-serial-port", (event, _ports, _contents, choose) => {
    event.preventDefault();
    choose("");
  });
  session.webRequest.onBeforeRequest(({ url }, answer) => answer({ cancel: !mayLoad(url, page) }));
}

function guardContents(contents: WebContents, page: string): void {
  contents.setWindowOpenHandler(() => ({ action: "deny" }));
  contents.on("will-attach-webview", refuse);
  contents.on("will-prevent-unload", refuse); // the page cannot keep its window open
  contents.on("will-frame-navigate", (event) => {
    if (!event.isMainFrame || !mayNavigate(event.url, page)) event.preventDefault();
  });
  contents.on("will-redirect", (event) => {
    if (!mayNavigate(event.url, page)) event.preventDefault();
  });
  contents.on("select-bluetooth-device", (event, _devices, choose) => {
    event.preventDefault();
    choose("");
  });
}
