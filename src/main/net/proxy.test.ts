import { afterEach, describe, expect, test } from "vitest";
import { aDoor } from "../../../tests/support/door.ts";
import { type RawServer, startRawServer } from "../../../tests/support/raw-server.ts";
import type { Purpose } from "../../shared/network.ts";
import { proxyFor } from "./proxy.ts";

describe("the proxy that a person has set", () => {
  const environment = {
    HTTPS_PROXY: "http://proxy.test:3128",
    HTTP_PROXY: "http://plain.test:3128",
    NO_PROXY: "intranet.test, .inside.test,hub.test:8443",
  };
  test.each<[string, Purpose, string | undefined]>([
    ["https://hub.test/file", "download", "http://proxy.test:3128/"],
    ["http://hub.test/file", "hub-search", "http://plain.test:3128/"],
    ["https://hub.test/v1", "answer", undefined],
    ["https://hub.test/v1", "key-test", undefined],
    ["https://intranet.test/", "download", undefined],
    ["https://www.intranet.test/", "download", undefined],
    ["https://a.inside.test/", "download", undefined],
    ["https://notintranet.test/", "download", "http://proxy.test:3128/"],
    ["https://hub.test:8443/", "download", undefined],
    ["http://127.0.0.1:8000/", "download", undefined],
    ["http://localhost:8000/", "download", undefined],
  ])("for %s and %s is %s", (url, purpose, proxy) => {
    expect(proxyFor(new URL(url), purpose, environment)?.href).toBe(proxy);
  });

  test("is written in small letters where both are there, and is nobody where it is empty or no address", () => {
    const url = new URL("https://hub.test/");
    expect(proxyFor(url, "download", { ...environment, https_proxy: "http://small.test:1" })?.host).toBe(
      "small.test:1",
    );
    expect(proxyFor(url, "download", {})).toBeUndefined();
    expect(proxyFor(url, "download", { HTTPS_PROXY: "not one" })).toBeUndefined();
    expect(proxyFor(url, "download", { ...environment, NO_PROXY: "*" })).toBeUndefined();
  });
});

describe("a download through a proxy", () => {
  let proxy: RawServer;
  afterEach(() => proxy.close());
  const throughProxy = (url: string, errand: { granted?: string } = {}) => {
    const { port } = new URL(proxy.origin);
    const address = `http://me:pass@proxy.test:${port}`;
    const resolve = async (host: string) => (host === "proxy.test" ? ["127.0.0.1"] : expect.unreachable(host));
    const door = aDoor({ resolve, proxies: { HTTP_PROXY: address, HTTPS_PROXY: address } });
    return { door, answer: door.visit({ purpose: "download", byHand: true, ...errand }).fetch(url) };
  };

  test("asks the proxy for the whole address, with the proxy's own password, and looks up nothing else", async () => {
    proxy = await startRawServer(({ socket }) => socket.write("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfile"));
    const { door, answer } = throughProxy("http://hub.test/some/file?x=1");
    expect(await (await answer).text()).toBe("file");
    const [request] = proxy.requests;
    expect(request?.head).toMatch(/^GET http:\/\/hub\.test\/some\/file\?x=1 HTTP\/1\.1\r\n/);
    expect(request?.head).toMatch(new RegExp(`proxy-authorization: Basic ${btoa("me:pass")}`, "i"));
    expect(door.rows()).toEqual([
      expect.objectContaining({
        host: "hub.test",
        port: 80,
        address: "127.0.0.1",
        place: "cloud",
        bodyIn: 4,
        outcome: "done",
      }),
    ]);
  });

  test("asks for a tunnel to whoever speaks TLS, and says so when there is none", async () => {
    proxy = await startRawServer(({ socket }) => socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"));
    const { door, answer } = throughProxy("https://hub.test/file");
    const message = expect.stringMatching(/^hub\.test \(through the proxy proxy\.test\) /);
    await expect(answer).rejects.toMatchObject({ code: "download-failed", message });
    expect(proxy.requests[0]?.head).toMatch(/^CONNECT hub\.test:443 HTTP\/1\.1\r\n/);
    expect(door.rows()).toEqual([expect.objectContaining({ host: "hub.test", outcome: "failed" })]);
  });

  test("does not lead to a forbidden address either", async () => {
    proxy = await startRawServer(({ socket }) => socket.end());
    const { answer } = throughProxy("http://169.254.169.254/latest/");
    await expect(answer).rejects.toMatchObject({ code: "address-refused" });
    expect(proxy.connections()).toBe(0);
  });
});
