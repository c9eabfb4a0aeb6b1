/** Keeps a key in the keyring of the session that it was started in, and says what became of it. For `keyring.test.ts`. */
import { silentLog } from "../../src/main/lib/log.ts";
import { createVault } from "../../src/main/vault/open-vault.ts";
import { toAppError } from "../../src/shared/errors.ts";

const [dataFolder = ""] = process.argv.slice(2);
const origin = "https://api.example.com";
const open = () => createVault({ dataFolder, log: silentLog });

/** The key, or the code of the error. */
const read = (vault: ReturnType<typeof open>) => vault.get("a", origin).catch((thrown) => toAppError(thrown).code);

const first = open();
await first.ready();
await first.set("a", origin, "sk-CANARY-0123456789abcdef");
const another = await read(open());
await first.remove("a");
process.stdout.write(JSON.stringify({ state: first.state(), another, removed: await read(open()) }));
