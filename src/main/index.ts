import { startElectron } from "./electron/start.ts";

startElectron();
