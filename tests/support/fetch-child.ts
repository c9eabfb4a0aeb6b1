import { readFileSync } from "node:fs";
import { fetchModel } from "../../src/main/models/fetch-model.ts";
import { aDoor } from "./door.ts";
import { entryFor } from "./model-fixture.ts";

/** A process of its own that fetches a model into a folder: to be killed, or to run beside others. */
const [content = "", modelsFolder = ""] = process.argv.slice(2);
const { signal } = new AbortController();
await fetchModel(entryFor(readFileSync(content)), { modelsFolder, door: aDoor(), signal });
