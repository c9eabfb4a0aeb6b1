const opening = (place: number) =>
  `It depends on **part ${place}** of the plan, and on what you want to keep: a short answer is [on this page](https://example.org/${place}), ` +
  "and the long one follows. Nothing in it has to be decided today, but the *order* of the steps matters, so read them once before you begin.";
const list = (place: number) =>
  `## Step ${place}\n\n1. Write down what is there, with its date.\n2. Leave out what nobody asked for:\n   - old drafts\n   - copies of \`plan-${place}.md\`\n3. Send the rest to the others, and wait for their answer.`;
const code = (place: number) =>
  `\`\`\`ts\n/** How many days are left. */\nexport function daysLeft(end: Date, now = new Date()): number {\n  const ms = end.getTime() - now.getTime();\n  return Math.max(0, Math.ceil(ms / ${86_400_000 + place}));\n}\n\`\`\``;
const table = (place: number) =>
  `| What | When | Cost |\n|---|---|---:|\n| Paper | Monday | ${place} € |\n| Paint | Tuesday | ${place * 3} € |\n| Glue | Friday | 4 € |`;
const quote = (place: number) =>
  `> Part ${place} was the one we forgot the last time.\n\nSo begin with it: the rest is a matter of an afternoon, and of \\(n^2 + ${place}\\) letters.`;

const blocks = [opening, list, code, quote, table] as const;

/** A block of Markdown as models write it: every kind takes its turn. */
export const sampleBlock = (place: number): string => (blocks[place % blocks.length] ?? opening)(place);

/** An answer of one to four blocks. */
export const sampleAnswer = (place: number): string =>
  Array.from({ length: 1 + (place % 4) }, (_, index) => sampleBlock(place + index)).join("\n\n");

export const sampleQuestion = (place: number): string =>
  `Question ${place}: what should I know about part ${place % 7} of this plan?`;
