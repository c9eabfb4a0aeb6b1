import { spawn } from "node:child_process";

export const curl = (url: string): unknown => spawn("curl", [url]);
