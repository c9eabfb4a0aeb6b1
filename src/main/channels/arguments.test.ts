import { expect, test } from "vitest";
import { readArguments } from "./arguments.ts";

test("serve takes a port, and opens the browser only when it is asked to", () => {
  expect(readArguments(["serve"], {})).toMatchObject({ command: "serve", open: false });
  expect(readArguments(["serve"], {})).not.toHaveProperty("port");
  expect(readArguments(["serve", "--port", "8123", "--open"], {})).toMatchObject({ port: 8123, open: true });
});

test.each(["0", "-1", "65536", "80.5", "1e3", "", "http"])("%j is no port", (port) => {
  expect(() => readArguments(["serve", `--port=${port}`], {})).toThrow(
    expect.objectContaining({ code: "bad-request" }),
  );
});

// K23: there is no way to ask for it.
test.each([["--host", "0.0.0.0"], ["--bind=0.0.0.0"], ["0.0.0.0"]])(
  "serve to other computers is refused: %s",
  (...words) => {
    expect(() => readArguments(["serve", ...words], {})).toThrow(expect.objectContaining({ code: "bad-request" }));
  },
);
