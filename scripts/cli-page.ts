/** docs/cli.md, generated from the help of every command. */
import { CATALOG } from '../lib/cli/catalog.ts';
import type { Command } from '../lib/cli/command.ts';

/** Prints the help of a command line such as `admin token create`. */
export type HelpOf = (words: readonly string[]) => Promise<string>;

const SESSION = '<!-- session -->';

const HEAD = `# Command line

<!-- Written from the commands themselves by scripts/write-cli.ts; a test compares the two. -->

\`npm install -g https://HOST/public/wl.tgz\` installs the client's commands from a host, in its version: see [Get Windlass](install.md). In a
checkout \`wl\` is \`dist/bin/wl.js\`: run \`node dist/bin/wl.js\`, or \`npm link\` once.

- stdout carries data only, stderr everything else. The exit code is 0, or 1 with a message that says what to do next; 130 after Ctrl-C
  and 143 after SIGTERM, as in shells.
- Client commands print a table at a terminal and indented JSON in a pipe; \`--format\` and \`--json\` override this. \`wl admin\` prints
  text, or with \`--json\` JSON on one line.
- Global options may appear anywhere. Put arguments that begin with a dash after \`--\`: \`wl gdpr export -- -x\`.
- Keys and tokens that cannot be shown again are printed once, by the command that creates them.
- \`wl help <command>\` shows help for a command, \`wl help query\` for the query language. \`man wl\` has everything; the page is docs/wl.1.
- \`wl serve\` and \`wl admin\` work on a data folder (\`--data\`, or \`WINDLASS_DATA\`). \`wl admin\` also works while the service runs, and
  changes take effect at once; only \`restore\` of all data, \`check --repair\` and \`cluster import --finish\` need it stopped.
  With \`--host URL\` it works from afar, by the [operator API](operator-api.md#wl-admin-from-afar).

## Server and key

Host and key each come from the first of these that sets them:

1. \`--host\`, \`--api-key\`
2. the variables \`WINDLASS_HOST\`, \`WINDLASS_API_KEY\`
3. \`.windlass.json\` in the current folder: \`{"host": "https://…", "api_key": "…"}\`
4. \`~/.config/windlass/config.json\` (in \`XDG_CONFIG_HOME\` if set), which \`wl config init\` and \`wl config set\` write with mode 0600
5. \`http://localhost:8080\`

A key from your own file is never sent to a host that a \`.windlass.json\` names, so that a folder someone else made cannot collect keys.
Put that host's key in the same file or in \`WINDLASS_API_KEY\`, or pass \`--host\`. A broken file is named on stderr; if a value would come
from it or from a later source, the command fails. Unknown names in a file are reported and ignored. Keys are shown by kind and end
only, \`sk_…x7Qm\`; \`project create\`, \`get\` and \`rotate-secret-key\` print them in full, since that is their purpose.

## Formats

| \`--format\` | output                                                            |
| ---------- | ----------------------------------------------------------------- |
| \`table\`    | for people: fits the terminal, with rows, total and time          |
| \`json\`     | the server's JSON, indented                                       |
| \`csv\`      | the server's CSV, unchanged; for a single query, or for usage     |
| \`markdown\` | the server's Markdown, unchanged, with notes; for language models |

\`csv\` and \`markdown\` work with \`query\`, \`inspect\` and \`choice results\`, \`csv\` also with \`project usage\`. \`config get\` and \`config path\`
print only the value unless \`--json\` is given. Control characters in values never reach a terminal. \`--no-color\` and \`NO_COLOR\` disable
color, \`--quiet\` silences stderr.

At a terminal, and only there, tables are made for reading: digits in groups, times to the minute (of events to the second) in the zone
below the table, \`–\` for what is missing, bars beside time series, and retentions in percent, shaded. A column without room is left out
and named below. Errors begin with what you may have meant.

\`\`\`console
$ wl q "retention signup returning any | last 4w | by week" --no-color
cohort      users     w0     w1     w2     w3     w4
──────────  ─────  ─────  ─────  ─────  ─────  ─────
2026-10-26     10  █100%  █100%  ▓ 50%  ▓ 50%  ▒ 30%
2026-11-02    121  █100%  ▒ 45%  ▒ 31%  ░ 25%      –
2026-11-09    194  █100%  ▓ 56%  ▒ 30%      –      –
2026-11-16    152  █100%  ▓ 50%      –      –      –
2026-11-23    160  █100%      –      –      –      –

5 of 5 rows, 2026-11-01 12:30:34 to 2026-11-29 12:30:34 (UTC), 2 ms
In percent of the people of each row; --json and --format markdown have their
numbers
Note: Partial weeks, cut by the range: 2026-10-26, 2026-11-23.
$ wl q "signup | cuont"
wl: Did you mean \`count\`?
    signup | cuont
             ^^^^^
  Expected a stage: where, last, from, since, all, today, yesterday, this, by, …
\`\`\`

## Lists of queries

Repeat \`--query\` for a list, or pass several queries on stdin (\`wl query -\`). A query on stdin continues on the next line if that line
begins with \`|\` or \`->\`, if the current one ends with one of these or a comma, and inside quotes and brackets. The answer is
\`{"results": [{"query", "rows"} …]}\` in the order of the queries; a failed query has \`error\` instead of \`rows\`, and the exit code is 1.

## Failures

- 429 is retried up to three times, after 0.5, 1 and 2 seconds with jitter, or as \`Retry-After\` says (up to 10 minutes). So is 5xx for
  reads and for \`track\`, whose insert ids are created before the first try: retries store nothing twice. 504 is not retried, because the
  same query would take as long again. \`--timeout\` limits each try.
- At a terminal, commands that cannot be undone ask for confirmation. Without a terminal they need \`--yes\`, or send nothing.
- \`track --stdin\` sends up to eight batches at once, or 1 MiB of them; each starts after the previous one but may overtake it:
  \`--concurrency 1\` preserves the order of the lines. Invalid lines are named on stderr and counted in \`rejected\`. If a batch fails for
  good, or you press Ctrl-C, it prints which lines are left, which of them may have been stored anyway, and the command to send them.
  There, FILE is the file on stdin, COMMAND what a pipe came from, and KEY the key given with \`--api-key\`.
  Lines without an \`insert_id\` get one for this run only: if the answer to a batch is lost, only ids of your own ensure that nothing is stored twice.
- \`track --stdin --bulk\` streams the lines as they are, about as fast as curl. Nothing is retried, and lines without an \`insert_id\`
  are not deduplicated; if the server stops the stream, it prints the line to resume from.
- \`track --stdin\` is strict: a line whose time cannot be read or lies over 24 hours ahead, with an unknown field at its root, or with a
  value that would be left out, is rejected ([why](http-api.md#stored-otherwise-than-sent)). \`--lenient\` stores such lines and says what
  was replaced. Each kind of error is told once at the end, with the number of lines and the first of them.
- \`--map event_type=type,user_id=actor.login\` reads lines with other field names: each event field from the given path, with a dot per
  level; the remaining fields become \`event_properties\`. \`event_properties.url=page.location\` fills a property (\`_url\`, \`_path\` and
  \`_hostname\` come from \`url\`). A path that no line has is an error: before anything is sent if it looks misspelled, else at the end.
- \`track --stdin --dry-run\` prints the first ten events as JSON lines, and on stderr a table of all fields: in how many events each has a
  value, and in how many the server would not take it.

## A session

${SESSION}
## Completion

The shell completes commands, options and their values, and event names: for \`wl inspect\` and \`wl track\`, and inside queries.

- bash: \`source <(wl completion bash)\` in ~/.bashrc
- zsh: \`source <(wl completion zsh)\` in ~/.zshrc, after \`compinit\`
- fish: \`wl completion fish > ~/.config/fish/completions/wl.fish\`, once

Names come from the server and key that the command line or configuration selects, by the same rules as for commands, and are cached for
a minute in \`~/.cache/windlass\`, which only you can read. Without a server, or a key that can query, there are no names and no message.

## Single executable

In a checkout, \`npm run build:binary\` builds \`dist-bin/wl\`: the client commands and Node in one file, for the platform it is built on.
It does not include \`wl serve\` and \`wl admin\`; use the npm package on the server.

`;

/** The page as it should be. `session`: command lines with their output. */
export async function cliPage(help: HelpOf, session: string): Promise<string> {
  const sections = [section([], await help([]))];
  for (const entry of CATALOG) sections.push(...(await sectionsOf(await entry.load(['cluster']), [], help)));
  return HEAD.replace(SESSION, () => session) + sections.join('\n');
}

/** A command, followed by its subcommands. */
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
