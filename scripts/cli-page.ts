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
- \`wl help <command>\` shows its help, \`wl help query\` a page of the query language. \`man wl\` has all of it; the page is docs/wl.1.
- \`wl serve\` and \`wl admin\` work on a data folder (\`--data\`, or \`WINDLASS_DATA\`); \`wl admin\` also beside a running service, which
  knows of the change at once.

## Completion

The shell completes commands, options and their values, and names of events: for \`wl inspect\` and \`wl track\`, and inside queries.

- bash: \`source <(wl completion bash)\` in ~/.bashrc
- zsh: \`source <(wl completion zsh)\` in ~/.zshrc, after \`compinit\`
- fish: \`wl completion fish > ~/.config/fish/completions/wl.fish\`, once

The names are asked of the server that the line or the configuration means, by the same rules as for a command, and kept for a minute
in \`~/.cache/windlass\`, which only you can read. Where there is no server, or no key that may ask, there are no names and no message.

## Single executable

\`npm run build:binary\` of a checkout makes \`dist-bin/wl\`: the client commands with Node in one file, for the platform it is made on.
It needs no Node where it runs. \`wl serve\` and \`wl admin\` are not in it; use the npm package on the server.

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
