import { expect, test } from "vitest";
import type { FetchState, ModelCard } from "../../shared/views.ts";
import { downloadOf } from "./download.ts";
import { partOf, sizeOf, timeLeft } from "./figures.ts";

const card: ModelCard = {
  id: "m",
  name: "M",
  bytes: 100,
  memoryBytes: 1,
  memory: { weights: 1, cache: 0, compute: 0 },
  largestWindow: 8192,
  untried: false,
  fit: "well",
  suggested: true,
  chosen: false,
  state: "absent",
  done: 0,
};
const fetch = (more: Partial<FetchState>): FetchState => ({
  modelId: "m",
  state: "fetching",
  done: 40,
  total: 100,
  bytesPerSecond: 20,
  ...more,
});

test("without news the disk tells: a part that an earlier run left can go on", () => {
  const download = downloadOf({ ...card, state: "paused", done: 30 }, undefined);
  expect(download).toEqual({ state: "paused", done: 30, total: 100, bytesPerSecond: 0 });
});

test("the news of a download go before the list", () => {
  expect(downloadOf(card, fetch({}))).toMatchObject({ state: "fetching", done: 40 });
  const error = { code: "offline", message: "no network", retryable: true } as const;
  expect(downloadOf(card, fetch({ state: "failed", error }))).toMatchObject({ state: "failed", error });
});

test("a file that is here is here, and one that came and was removed is not", () => {
  expect(downloadOf({ ...card, state: "here" }, fetch({ state: "paused" })).state).toBe("here");
  expect(downloadOf(card, fetch({ state: "here" })).state).toBe("absent");
});

test("bytes are said in powers of ten, a part in the unit of its whole", () => {
  const plain = (text: string) => text.replaceAll("\u00a0", " ");
  expect([98_362_432, 2.5e9, 4.13e9, 900, 23e9].map((bytes) => plain(sizeOf(bytes, "en")))).toEqual([
    "98 MB",
    "2.5 GB",
    "4.1 GB",
    "900 B",
    "23 GB",
  ]);
  const { part, whole } = partOf(43_100_000, 98_362_432, "en");
  expect(plain(`${part} of ${whole}`)).toBe("43 of 98 MB");
});

test("the time that is left is whole, and unknown while nothing comes", () => {
  expect(timeLeft({ done: 0, total: 7800, bytesPerSecond: 100 })).toEqual({ hours: 0, minutes: 1, seconds: 18 });
  expect(timeLeft({ done: 0, total: 7800, bytesPerSecond: 0 })).toBeUndefined();
  expect(timeLeft({ done: 7800, total: 7800, bytesPerSecond: 100 })).toBeUndefined();
});
