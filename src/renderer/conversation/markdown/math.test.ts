import { expect, test } from "vitest";
import { markMath } from "./math.ts";

test.each([
  ["\\(x\\) is math", "Let \\(x^2\\) be", "Let $$x^2$$ be"],
  ["\\[x\\] in a line", "\\[x\\] is", "$$x$$ is"],
  ["\\[ on lines of its own", "\\[\nx\n\\]", "$$\nx\n$$"],
  ["$x$ is math", "Let $x$ be", "Let $$x$$ be"],
  ["$$x$$ stays", "Let $$x$$ be", "Let $$x$$ be"],
  ["money is not", "from $5 to $10, or $5-$10", "from $5 to $10, or $5-$10"],
  ["a single dollar is not", "costs $5", "costs $5"],
  ["an escaped dollar is not", "\\$x$ y", "\\$x$ y"],
  ["code is left alone", "`$x$` and `` a`$y$ ``", "`$x$` and `` a`$y$ ``"],
  [
    "fenced code is left alone",
    "- ```sh\n  echo $a$b \\(x\\)\n  ```\n$x$",
    "- ```sh\n  echo $a$b \\(x\\)\n  ```\n$$x$$",
  ],
])("%s", (_name, text, expected) => {
  expect(markMath(text)).toBe(expected);
});
