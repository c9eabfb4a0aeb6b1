import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { fakeProgram } from "../../../tests/support/fake-program.ts";
import { browserProgram, openInBrowser } from "./open-browser.ts";

test.each<[NodeJS.Platform, NodeJS.ProcessEnv, readonly string[] | undefined]>([
  ["darwin", {}, ["open"]],
  ["win32", {}, ["rundll32", "url.dll,FileProtocolHandler"]],
  ["linux", { DISPLAY: ":0" }, ["xdg-open"]],
  ["linux", { WAYLAND_DISPLAY: "wayland-0" }, ["xdg-open"]],
  ["linux", { DISPLAY: "" }, undefined],
])("on %s with %j a page is opened by %j", (platform, environment, program) => {
  expect(browserProgram(platform, environment)).toEqual(program);
});

const linux = test.runIf(process.platform === "linux");
const address = "http://127.0.0.1:1/#t=$(touch x);`touch x`";

linux("the address reaches the program as it is, without a shell", async () => {
  const folder = mkdtempSync(join(tmpdir(), "lares-open-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const seen = join(folder, "seen");
  fakeProgram(folder, "xdg-open", `require("node:fs").writeFileSync(${JSON.stringify(seen)}, process.argv[2]);`);
  expect(await openInBrowser(address, { DISPLAY: ":0", PATH: folder })).toBe(true);
  await expect.poll(() => existsSync(seen) && readFileSync(seen, "utf8")).toBe(address);
});

linux("without such a program nothing is opened, and nothing breaks", async () => {
  expect(await openInBrowser(address, { DISPLAY: ":0", PATH: "/nowhere" })).toBe(false);
});
