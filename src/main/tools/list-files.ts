import { z } from "zod";
import { formatBytes } from "./format-bytes.ts";
import { checkPath } from "./paths.ts";
import { defineTool } from "./tool.ts";
import { listWorkspace } from "./workspace-files.ts";

const resultCap = 16_000;
const roomForNote = 200;

/** Names and sizes of what is in the workspace. */
export const listFilesTool = defineTool({
  name: "list_files",
  description:
    "List the files of the workspace, or of one folder in it, with their sizes. Hidden folders and node_modules are left out.",
  class: "read",
  timeoutMs: 20_000,
  resultCap,
  input: z.strictObject({
    folder: z.string().default(".").describe('Folder relative to the workspace; "." is the whole workspace'),
  }),
  async run({ folder }, { workspace, signal }) {
    const { files, complete } = await listWorkspace(workspace, signal, folder);
    const where = checkPath(workspace, folder) === "." ? "the workspace" : folder;
    if (files.length === 0) return { text: `[no files in ${where}]`, summary: `${where}: no files` };
    const shown = fitting(files.map(({ path, bytes }) => `${path} (${formatBytes(bytes)})`));
    const all = `${files.length}${complete ? "" : "+"}`;
    const more = shown.length < files.length || !complete;
    const note = more ? `\n[${shown.length} of ${all} files; name a folder to see the others]` : "";
    return { text: shown.join("\n") + note, summary: `${where}: ${all} files` };
  },
});

/** As many lines as the result has room for. */
function fitting(lines: readonly string[]): readonly string[] {
  let room = resultCap - roomForNote;
  const end = lines.findIndex((line) => {
    room -= line.length + 1;
    return room < 0;
  });
  return end < 0 ? lines : lines.slice(0, end);
}
