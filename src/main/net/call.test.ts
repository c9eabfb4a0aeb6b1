import { describe, expect, test } from "vitest";
import { callOf, nextCall } from "./call.ts";

const secrets = { authorization: "Bearer k", "x-api-key": "k", "x-goog-api-key": "k", "api-key": "k", "x-own": "k" };
const plain = { accept: "text/html", range: "bytes=5-", "if-range": '"one"' };

describe("a request", () => {
  test("says nothing for its caller that only the connection may say", () => {
    const forged = { host: "evil.test", connection: "upgrade", "content-length": "1", cookie: "a=1" };
    const { headers } = callOf("https://hub.test/", { headers: { ...forged, ...plain } });
    expect(Object.fromEntries(headers)).toEqual({ ...plain, "accept-encoding": "gzip", "user-agent": "Lares" });
  });

  test("must be whole before it leaves", () => {
    expect(() => callOf("https://hub.test/", { method: "POST", body: new FormData() })).toThrow(/must be whole/);
    expect(callOf("https://hub.test/", { method: "post", body: "é" })).toMatchObject({
      method: "POST",
      body: Buffer.from("é"),
    });
  });

  test.each([
    ["https://hub.test/other", true],
    ["/other", true],
    ["https://cdn.test/", false],
    ["https://hub.test:8443/", false],
    ["https://sub.hub.test/", false],
  ])("that is sent on to %s keeps what identifies its sender: %s", (location, keeps) => {
    const call = callOf("https://hub.test/", { headers: { ...secrets, ...plain } });
    const { headers } = nextCall(call, 302, location);
    expect(Object.keys(secrets).map((name) => headers.has(name))).toEqual(Object.keys(secrets).map(() => keeps));
    expect(Object.keys(plain).map((name) => headers.has(name))).toEqual(Object.keys(plain).map(() => true));
  });

  test.each([
    [301, "GET", undefined],
    [303, "GET", undefined],
    [307, "POST", "body"],
    [308, "POST", "body"],
  ])("with a body that is sent on with %i goes on as %s", (status, method, body) => {
    const next = nextCall(callOf("https://hub.test/", { method: "POST", body: "body" }), status, "/there");
    expect([next.method, next.body && Buffer.from(next.body).toString()]).toEqual([method, body]);
  });
});
