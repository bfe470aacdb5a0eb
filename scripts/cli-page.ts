/** docs/cli.md, made of the help of every command. */
import { CATALOG } from '../lib/cli/catalog.ts';
import type { Command } from '../lib/cli/command.ts';

/** Prints the help of a command line, `admin token create` for example. */
export type HelpOf = (words: readonly string[]) => Promise<string>;

const SESSION = '<!-- session -->';

const HEAD = `# Command line

<!-- Written from the commands themselves by scripts/write-cli.ts; a test compares the two. -->

\`wl\` is \`dist/bin/wl.js\` of a checkout: \`node dist/bin/wl.js\`, or \`npm link\` once.

- stdout has data only, stderr everything else. The exit code is 0, or 1 with a message that says what to do next; 130 after Ctrl-C
  and 143 after SIGTERM, as shells have it.
- Commands that speak to a server print a table on a terminal and indented JSON in a pipe; \`--format\` and \`--json\` choose. \`wl admin\`
  prints text, or with \`--json\` JSON on one line.
- Global options may stand anywhere. Behind \`--\` stand arguments that begin with a dash: \`wl gdpr export -- -x\`.
- Keys and tokens that cannot be read again are printed once, by the command that makes them.
- \`wl help <command>\` shows its help, \`wl help query\` a page of the query language. \`man wl\` has all of it; the page is docs/wl.1.
- \`wl serve\` and \`wl admin\` work on a data folder (\`--data\`, or \`WINDLASS_DATA\`); \`wl admin\` also beside a running service, which
  knows of the change at once.

## Server and key

Host and key are each taken from the first of these that has them:

1. \`--host\`, \`--api-key\`
2. the variables \`WINDLASS_HOST\`, \`WINDLASS_API_KEY\`
3. \`.windlass.json\` of the current folder: \`{"host": "https://…", "api_key": "…"}\`
4. \`~/.config/windlass/config.json\` (below \`XDG_CONFIG_HOME\` where that is set), which \`wl config init\` and \`wl config set\` write with
   mode 0600
5. \`http://localhost:8080\`

A key of your own file is never sent to a host that a \`.windlass.json\` names: a folder that somebody else made must not collect keys. Put
that host's key into the same file or into \`WINDLASS_API_KEY\`, or pass \`--host\`. A broken file is named on stderr; when a value would
come from it or from below it, the command ends. Keys are shown by their kind and end only, \`sk_…x7Qm\`; \`project create\`, \`get\` and
\`rotate-secret-key\` print whole ones, for that is what they are asked for.

## Formats

| \`--format\` | what it is                                                           |
| ---------- | -------------------------------------------------------------------- |
| \`table\`    | drawn for people, as wide as the terminal, with rows, total and time |
| \`json\`     | the server's JSON, indented                                          |
| \`csv\`      | the server's CSV as it is; of one query, or of usage                 |
| \`markdown\` | the server's Markdown as it is, with notes; for language models      |

\`csv\` and \`markdown\` are for \`query\`, \`inspect\` and \`choice results\`, \`csv\` for \`project usage\` too. \`config get\` and
\`config path\` print the value alone unless \`--json\` is given. Control characters in values never
reach a terminal. \`--no-color\` and \`NO_COLOR\` switch colours off, \`--quiet\` all of stderr.

## Lists of queries

\`--query\` makes a list, however often it is given; so does stdin (\`wl query -\`) when it has more than one query. There a query goes on in
the next line where that begins with \`|\` or \`->\`, where this one ends so, and inside quotes and brackets. The answer is
\`{"results": [{"query", "rows"} …]}\` in the order of the questions; one that failed has \`error\` instead of \`rows\`, and the exit code is 1.

## Failures

- 429 is tried again up to three times, after 0.5, 1 and 2 seconds with jitter, or after as long as \`Retry-After\` says (up to 10 minutes).
  So is 5xx for reading and for \`track\`, whose insert ids are made before the first try: a retry stores nothing twice. 504 is not, the same
  query would take as long again. \`--timeout\` bounds each try.
- What cannot be undone is asked for at a terminal. Without one it needs \`--yes\`, else nothing is sent.
- \`track --stdin\` has four batches on their way at a time, in the memory of five; each leaves after the one before, but may overtake it:
  \`--concurrency 1\` keeps the order of the lines. Bad lines are named on stderr and counted in \`rejected\`. When a batch fails for good, and
  at Ctrl-C, it says which lines are left, with the command that sends them. Lines that have no \`insert_id\` get one for this run only:
  where the answer to a batch was lost, give them ids of your own to be sure that none is stored twice.
- \`--map event_type=type,user_id=actor.login\` takes lines of other shapes: fields of events from where it says, a dot for each level down,
  all that is left as \`event_properties\`.

## A session

${SESSION}
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

/** The page as it must be. `session`: command lines with what they print. */
export async function cliPage(help: HelpOf, session: string): Promise<string> {
  const sections = [section([], await help([]))];
  for (const entry of CATALOG) sections.push(...(await sectionsOf(await entry.load(), [], help)));
  return HEAD.replace(SESSION, () => session) + sections.join('\n');
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
