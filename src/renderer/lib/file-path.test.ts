import { expect, test } from "vitest";
import { absolutePath } from "./file-path.ts";

test.each([
  ["/home/ada", "tax.txt", "/home/ada/tax.txt"],
  ["/home/ada", "./tax//2025.txt", "/home/ada/tax/2025.txt"],
  ["/home/ada/", "../eve/a.txt", "/home/eve/a.txt"],
  ["/home/ada", "/etc/hosts", "/etc/hosts"],
  ["/home/ada", "../../../../etc", "/etc"],
  ["/home/ada", "a\\b.txt", "/home/ada/a\\b.txt"],
  ["C:\\Users\\Ada", "tax/2025.txt", "C:\\Users\\Ada\\tax\\2025.txt"],
  ["C:\\Users\\Ada", "D:\\x\\..\\y.txt", "D:\\y.txt"],
  ["\\\\server\\share", "a.txt", "\\\\server\\share\\a.txt"],
])("in %s, %s is %s", (folder, path, whole) => expect(absolutePath(folder, path)).toBe(whole));
