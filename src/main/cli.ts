import { exitCodes } from "../shared/exit-codes.ts";
import { runCli } from "./app-cli.ts";

process.stdout.on("error", () => process.exit(exitCodes.ok)); // whoever read the answer has gone
process.exitCode = await runCli(process.argv.slice(2));
