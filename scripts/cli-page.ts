/** docs/cli.md, made of the help of every command. */
import { CATALOG } from '../lib/cli/catalog.ts';
import type { Command } from '../lib/cli/command.ts';

/** Prints the help of a command line, `admin token create` for example. */
export type HelpOf = (words: readonly string[]) => Promise<string>;

const HEAD = `# Command line

<!-- Written from the commands themselves by scripts/write-cli.ts; a test compares the two. -->

\`wl\` is \`dist/bin/wl.js\` of a checkout: \`node dist/bin/wl.js\`, or \`npm link\` once.

- stdout has data only, stderr what went wrong. The exit code is 0, or 1 with a message that says what to do next.
- \`--json\` of a command prints JSON for programs, an object or an array on one line.
- Keys and tokens that cannot be read again are printed once, by the command that makes them.
- \`wl serve\` and \`wl admin\` work on a data folder (\`--data\`, or \`WINDLASS_DATA\`); \`wl admin\` also beside a running service, which
  knows of the change at once.

`;

/** The page as it must be. */
export async function cliPage(help: HelpOf): Promise<string> {
  const sections = [section([], await help([]))];
  for (const entry of CATALOG) sections.push(...(await sectionsOf(await entry.load(), [], help)));
  return HEAD + sections.join('\n');
}

/** A command, then what is below it. */
async function sectionsOf(command: Command, above: readonly string[], help: HelpOf): Promise<string[]> {
  const words = [...above, command.usage.split(' ', 1)[0] ?? command.usage];
  const sections = [section(words, await help(words))];
  for (const below of command.commands ?? []) sections.push(...(await sectionsOf(below, words, help)));
  return sections;
}

function section(words: readonly string[], help: string): string {
  const lines = help.trim().split('\n').map((line) => line.trimEnd()); // prettier-ignore
  return `## ${['wl', ...words].join(' ')}\n\n\`\`\`text\n${lines.join('\n')}\n\`\`\`\n`;
}
