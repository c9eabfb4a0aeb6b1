import { expect, test } from "vitest";
import { engineEnvironment } from "./environment.ts";

test("what the child needs passes in any case of letters, all else stays outside", () => {
  const from = {
    Path: "/bin",
    HOME: "/home/a",
    CUDA_VISIBLE_DEVICES: "1",
    OPENAI_API_KEY: "hush",
    NODE_OPTIONS: "-r x",
  };
  expect(engineEnvironment({ ...from, UV_THREADPOOL_SIZE: "64" })).toEqual({
    Path: "/bin",
    HOME: "/home/a",
    CUDA_VISIBLE_DEVICES: "1",
    UV_THREADPOOL_SIZE: "1",
  });
});
