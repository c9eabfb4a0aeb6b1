import { checkRooms } from "./rooms.ts";

// The last part of `npm run check`: rooms, packages, the door to the network and import cycles.
const { files, problems } = checkRooms(".");
for (const { rule, where, message } of problems) process.stderr.write(`${where}: ${rule}: ${message}\n`);
process.stdout.write(`rooms: ${files} files, ${problems.length} problems\n`);
process.exitCode = problems.length > 0 ? 1 : 0;
