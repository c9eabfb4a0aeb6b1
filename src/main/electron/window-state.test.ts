import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../lib/log.ts";
import { type Area, placeWindow, readWindowState, saveWindowState, type WindowState } from "./window-state.ts";

const area = (x: number, y: number, width: number, height: number): Area => ({ x, y, width, height });
const one = area(0, 25, 1440, 875);
const right = area(1440, 0, 1920, 1080);
const left = area(-1280, 0, 1280, 1024);
const state = (x: number, y: number, width = 1000, height = 700, maximized = false): WindowState => ({
  x,
  y,
  width,
  height,
  maximized,
});

describe("a window opens", () => {
  const { x: _x, y: _y, ...somewhere } = state(0, 0);
  test.each<[string, WindowState | undefined, Area[], object]>([
    ["in its first size, where the system likes", undefined, [one], { width: 1200, height: 800, maximized: false }],
    [
      "smaller the first time on a small screen",
      undefined,
      [area(0, 0, 1024, 600)],
      { width: 1024, height: 600, maximized: false },
    ],
    ["where it was", state(100, 100), [one], state(100, 100)],
    ["where it was on the second screen", state(1500, 100), [one, right], state(1500, 100)],
    ["where it was on a screen to the left", state(-1200, 10), [one, left], state(-1200, 10)],
    ["maximised as it was", state(100, 100, 1000, 700, true), [one], state(100, 100, 1000, 700, true)],
    ["half outside, as it was, while its title bar can be reached", state(1300, 100), [one], state(1300, 100)],
    ["inside, when too little of its title bar could be reached", state(1400, 100), [one], state(440, 100)],
    ["inside, when it hung out to the left", state(-950, 100), [one], state(0, 100)],
    ["below the menu bar, when its title bar was above", state(100, -5), [one], state(100, 25)],
    ["higher, when its title bar was below the screen", state(100, 890), [one], state(100, 200)],
    ["on the nearest screen, when its own is gone", state(1500, 100), [one], state(440, 100)],
    ["on the nearer one of two", state(4000, 5000), [one, right], state(2360, 380)],
    ["smaller, when the screen left is smaller than it", state(5000, 0, 3000, 2000), [one], state(0, 25, 1440, 875)],
    ["in a size in which it can be used", state(10, 30, 1, 1), [one], state(10, 30, 480, 360)],
    ["where the system likes, when no screen is told of", state(10, 30), [], somewhere],
  ])("%s", (_what, stored, screens, expected) => {
    expect(placeWindow(stored, screens)).toEqual(expected);
  });
});

describe("the file that keeps where it stood", () => {
  let folder: string;
  let file: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "lares-window-"));
    file = join(folder, "window.json");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("is not there at first", () => expect(readWindowState(file)).toBeUndefined());

  test("gives back what was saved, and leaves nothing beside it", () => {
    saveWindowState(file, state(1, 2, 3, 4, true));
    expect(readWindowState(file)).toEqual(state(1, 2, 3, 4, true));
    expect(readdirSync(folder)).toEqual(["window.json"]);
  });

  test.each([
    "",
    "{",
    "null",
    "[]",
    "7",
    '{"x":1}',
    '{"x":1e999,"y":0,"width":9,"height":9,"maximized":false}',
    '{"x":"1","y":0,"width":9,"height":9,"maximized":false}',
    '{"x":1,"y":0,"width":9,"height":9}',
    "\0".repeat(100),
    " ".repeat(10_000_000),
    '{"version":2,"place":{"x":1}}',
  ])("counts as absent when it does not read, and is kept beside (%#)", (text) => {
    writeFileSync(file, text);
    const told: string[] = [];
    expect(readWindowState(file, { ...silentLog, warn: (event) => told.push(event) })).toBeUndefined();
    const [kept = "", ...more] = readdirSync(folder);
    expect([more, told]).toEqual([[], ["window state set aside"]]);
    expect(kept).toMatch(/^window\.json\.bad-\d+$/);
    expect(readFileSync(join(folder, kept), "utf8")).toBe(text);
    rmSync(join(folder, kept));
  });

  test("of a later Lares is read as far as it is known", () => {
    writeFileSync(file, JSON.stringify({ ...state(1, 2), screen: "left" }));
    expect(readWindowState(file)).toEqual(state(1, 2));
  });

  test("that cannot be written stops nobody from closing a window", () => {
    expect(() => saveWindowState(join(folder, "gone", "window.json"), state(0, 0))).not.toThrow();
  });
});
