import { readFileSync } from "node:fs";
import { fetchModel } from "../../src/main/models/fetch-model.ts";
import { entryFor } from "./model-fixture.ts";

/** A process of its own that fetches a model into a folder: to be killed, or to run beside others. */
const [content = "", modelsFolder = ""] = process.argv.slice(2);
await fetchModel(entryFor(readFileSync(content)), { modelsFolder, signal: new AbortController().signal });
