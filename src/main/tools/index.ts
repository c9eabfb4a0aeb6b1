import { askUserTool } from "./ask-user.ts";
import { currentTimeTool } from "./current-time.ts";
import { listFilesTool } from "./list-files.ts";
import { readFileTool } from "./read-file.ts";
import type { Tool } from "./tool.ts";

/** Every tool there is, in the order in which models see them. A new one is a file and a line here. */
export const tools: readonly Tool[] = [readFileTool, listFilesTool, currentTimeTool, askUserTool];
