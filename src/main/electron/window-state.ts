import { readFileSync, renameSync, statSync } from "node:fs";
import { replaceFileSync } from "../lib/atomic-write.ts";
import { type Log, silentLog } from "../lib/log.ts";

/** A rectangle in the units of the screen. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How a window stood when it was closed. */
export interface WindowState extends Area {
  readonly maximized: boolean;
}

/** Where a window is to open; without x and y the system chooses. */
export interface Placement {
  readonly x?: number;
  readonly y?: number;
  readonly width: number;
  readonly height: number;
  readonly maximized: boolean;
}

export const minimumSize = { width: 480, height: 360 } as const;
const firstSize = { width: 1200, height: 800 } as const;

/** What must be seen of a window so that it can be moved: a piece of its title bar. */
const grip = { width: 120, height: 32 } as const;

/** What is longer was not written by us, and is not read. Bytes. */
const LONGEST = 10_000;

/**
 * Reads what `saveWindowState` wrote. Undefined if it is not there, or does not read as one: that file is kept beside as
 * `….bad-<time>`.
 */
export function readWindowState(file: string, log: Log = silentLog): WindowState | undefined {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found) return undefined; // the first start
  const state = found.size > LONGEST ? undefined : asWindowState(parse(file));
  if (!state) keepBad(file, log);
  return state;
}

/** Undefined where it is not JSON. */
function parse(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return undefined;
  }
}

function keepBad(file: string, log: Log): void {
  try {
    renameSync(file, `${file}.bad-${Date.now()}`);
    log.warn("window state set aside");
  } catch {
    log.warn("window state not read"); // where it stays, it is not read next time either
  }
}

/** At once, because the app may end right after; a disk that refuses costs nothing but the place. */
export function saveWindowState(file: string, state: WindowState): void {
  try {
    replaceFileSync(file, `${JSON.stringify(state)}\n`);
  } catch {
    return; // next time the window opens where it did before
  }
}

function asWindowState(value: unknown): WindowState | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { x, y, width, height, maximized } = value as Record<string, unknown>;
  if (![x, y, width, height].every(Number.isSafeInteger) || typeof maximized !== "boolean") return undefined;
  return { x: Number(x), y: Number(y), width: Number(width), height: Number(height), maximized };
}

/**
 * Where a window opens that stood like `stored`, on the screens there are now (their areas without task bars). It
 * stays where it was if its title bar can be reached there; else it moves into the nearest screen, and shrinks to fit.
 */
export function placeWindow(stored: WindowState | undefined, screens: readonly Area[]): Placement {
  if (!stored) return { ...fitInto(firstSize, screens[0]), maximized: false };
  const size = {
    width: Math.max(stored.width, minimumSize.width),
    height: Math.max(stored.height, minimumSize.height),
  };
  const wanted = { ...size, x: stored.x, y: stored.y };
  const { maximized } = stored;
  if (screens.some((screen) => canGrip(wanted, screen))) return { ...wanted, maximized };
  const nearest = screens.toSorted((one, other) => distance(wanted, one) - distance(wanted, other))[0];
  if (!nearest) return { ...size, maximized };
  const fitting = fitInto(size, nearest);
  const x = clamp(wanted.x, nearest.x, nearest.x + nearest.width - fitting.width);
  const y = clamp(wanted.y, nearest.y, nearest.y + nearest.height - fitting.height);
  return { x, y, ...fitting, maximized };
}

function canGrip(window: Area, screen: Area): boolean {
  const seen = Math.min(window.x + window.width, screen.x + screen.width) - Math.max(window.x, screen.x);
  return seen >= grip.width && window.y >= screen.y && window.y + grip.height <= screen.y + screen.height;
}

/** From the middle of one to the nearest point of the other, squared. */
function distance(window: Area, screen: Area): number {
  const x = window.x + window.width / 2;
  const y = window.y + window.height / 2;
  return (
    (x - clamp(x, screen.x, screen.x + screen.width)) ** 2 + (y - clamp(y, screen.y, screen.y + screen.height)) ** 2
  );
}

function fitInto(size: { width: number; height: number }, screen: Area | undefined) {
  return {
    width: Math.min(size.width, screen?.width ?? size.width),
    height: Math.min(size.height, screen?.height ?? size.height),
  };
}

const clamp = (value: number, least: number, most: number): number => Math.min(Math.max(value, least), most);
