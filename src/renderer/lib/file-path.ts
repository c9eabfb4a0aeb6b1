/** The whole path of a file that a call names, in the folder that calls begin in: without `.` and `..` and doubled slashes. */
export function absolutePath(folder: string, path: string): string {
  const isWindows = /^([a-z]:|\\)/i.test(folder);
  const isAbsolute = isWindows ? /^([a-z]:[\\/]|[\\/])/i.test(path) : path.startsWith("/");
  const whole = isAbsolute ? path : `${folder}/${path}`;
  const [drive = ""] = isWindows ? (/^([a-z]:|\\)/i.exec(whole) ?? []) : [];
  const steps: string[] = [];
  for (const step of whole.slice(drive.length).split(isWindows ? /[\\/]+/ : /\/+/)) {
    if (step === "..") steps.pop();
    else if (step !== "." && step !== "") steps.push(step);
  }
  const separator = isWindows ? "\\" : "/";
  return `${drive}${separator}${steps.join(separator)}`;
}
