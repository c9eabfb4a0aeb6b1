import { execFileSync } from "node:child_process";
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface HostileTree {
  /** The folder the model may look into; what is inside reads "inside", what is outside reads "SECRET". */
  readonly workspace: string;
  remove(): Promise<void>;
}

/** A workspace full of ways out and of things that are not files (POSIX only). */
export async function makeHostileTree(): Promise<HostileTree> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "lares-ws-")));
  const workspace = join(folder, "ws");
  for (const name of ["ws/d", "out", "ws-evil"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "out/secret"), "SECRET");
  writeFileSync(join(folder, "ws-evil/x"), "SECRET");
  for (const name of ["ok.txt", "d/inner.txt", ".env", "cafe\u0301.txt", "\u00fcber.txt"])
    writeFileSync(join(workspace, name), `inside: ${name}`);
  linkSync(join(workspace, "ok.txt"), join(workspace, "hard.txt"));
  writeFileSync(join(workspace, "huge"), "");
  truncateSync(join(workspace, "huge"), 1e12);
  const links: Readonly<Record<string, string>> = {
    ln: "../out",
    ll: "ln",
    evil: "../ws-evil",
    lf: "../out/secret",
    li: "ok.txt",
    self: ".",
    "loop-a": "loop-b",
    "loop-b": "loop-a",
    environ: "/proc/self/environ",
    proc: "/proc/self",
    zero: "/dev/zero",
    dangling: "../out/nothing",
  };
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(workspace, name));
  execFileSync("mkfifo", [join(workspace, "pipe")]);
  const server = createServer();
  await new Promise<void>((ready) => server.listen(join(workspace, "socket"), ready));
  return {
    workspace,
    async remove() {
      await new Promise((closed) => server.close(closed));
      rmSync(folder, { recursive: true });
    },
  };
}
