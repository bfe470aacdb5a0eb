/** docs/wl.1, the manual page, generated from the definitions of the commands. */
import type { Options } from 'yargs';
import { CATALOG } from '../lib/cli/catalog.ts';
import { GLOBAL_OPTIONS } from '../lib/cli/client/global-options.ts';
import type { Command, OptionTable } from '../lib/cli/command.ts';
import { VERSION } from '../lib/base/version.ts';

const MAX_LINE = 80; // characters of the source

const DESCRIPTION = `\
Windlass is self-hosted product analytics: events come in over HTTP, answers come out of a pipe language.
wl runs the service, manages it on its machine, and speaks to it from anywhere: it sends events, asks questions and manages projects.

stdout has data only: a table on a terminal, JSON in a pipe. stderr has everything else.
"wl help query" is a page of the query language.`;

const ENVIRONMENT: readonly (readonly [name: string, what: string])[] = [
  ['WINDLASS_API_KEY', 'The API key, where --api-key does not say it.'],
  ['WINDLASS_HOST', 'The address of the server, where --host does not say it.'],
  ['NO_COLOR', 'No colors, when it is set to anything.'],
  ['XDG_CONFIG_HOME, XDG_CACHE_HOME', 'Where the files below are, in place of ~/.config and ~/.cache.'],
  ['WINDLASS_…', 'Settings of wl serve; see docs/configuration.md.'],
];

const FILES: readonly (readonly [name: string, what: string])[] = [
  [
    '.windlass.json',
    'Key and host for the current folder: {"api_key": "…", "host": "…"}. It goes before the next file.',
  ],
  ['~/.config/windlass/config.json', 'Key and host of the user; wl config writes it.'],
  ['~/.cache/windlass', 'Names of events for completion, kept for a minute.'],
];

/** The page as it should be. */
export async function manPage(): Promise<string> {
  const commands = await Promise.all(CATALOG.map((entry) => entry.load(['cluster'])));
  const lines = [
    '.\\" Written from the commands themselves by scripts/write-man.ts; a test compares the two.',
    `.TH WL 1 "" "Windlass ${VERSION}" "Windlass"`,
    ...section('NAME', ['wl \\- product analytics from the command line']),
    ...section('SYNOPSIS', ['.B wl', text('<command> [arguments] [options]')]),
    ...section('DESCRIPTION', paragraphs(DESCRIPTION)),
    ...section(
      'COMMANDS',
      commands.flatMap((command) => commandLines(command, ['wl'])),
    ),
    ...section('GLOBAL OPTIONS', ['Of every command that speaks to a server:', ...optionLines(GLOBAL_OPTIONS)]),
    ...section('ENVIRONMENT', ENVIRONMENT.flatMap(entryLines)),
    ...section('FILES', FILES.flatMap(entryLines)),
    ...section('EXIT STATUS', [
      text('0, or 1 with a message on stderr; 130 and 143 where SIGINT or SIGTERM ended it.'),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

function commandLines(command: Command, above: readonly string[]): string[] {
  const { usage, aliases, summary, examples, options, shared, commands } = command;
  const words = [...above, usage.split(' ', 1)[0] ?? usage];
  if (commands !== undefined) {
    const common = Object.keys(shared).length === 0 ? [] : [text('Options of all of them:'), ...optionLines(shared)];
    return [
      ...heading(words.join(' ')),
      ...prose(`${summary}.`),
      ...common,
      ...commands.flatMap((one) => commandLines(one, words)),
    ];
  }
  return [
    ...heading([...above, usage].join(' ')),
    ...prose(`${summary}.`),
    ...(aliases.length === 0 ? [] : prose(`Also: ${aliases.map((alias) => [...above, alias].join(' ')).join(', ')}.`)),
    ...optionLines(options, usage),
    ...examples.flatMap(([line, what]) => ['.PP', ...prose(`${what}:`), '.RS 4', '.nf', text(line), '.fi', '.RE']),
  ];
}

/** Positionals as they are in `usage`, options with two hyphens. */
function optionLines(options: OptionTable, usage = ''): string[] {
  return Object.entries(options)
    .filter(([, { hidden }]) => hidden !== true)
    .flatMap(([name, option]) => {
      const isPositional = new RegExp(`[<[]${name}(?:\\.\\.)?[>\\]]`).test(usage);
      const term = isPositional ? `.I ${text(name)}` : `.B ${text(`--${name}`)}${valueOf(option)}`;
      return ['.TP', term, ...prose(`${option.describe ?? ''}${defaultOf(option)}`.replace(/\.?$/, '.'))];
    });
}

function valueOf({ type, choices }: Options): string {
  if (type === 'boolean') return '';
  const values = choices === undefined ? (type ?? 'string') : [choices].flat(2).map(String).join('|');
  return ` \\fI${text(values)}\\fR`;
}

function defaultOf({ default: value }: Options): string {
  return value === undefined || value === false ? '' : ` [default: ${String(value)}]`;
}

function section(name: string, lines: readonly string[]): string[] {
  return [`.SH ${name}`, ...lines];
}

function heading(name: string): string[] {
  return [`.SS "${text(name)}"`];
}

function entryLines([name, what]: readonly [string, string]): string[] {
  return ['.TP', `.B ${text(name)}`, ...prose(what)];
}

function paragraphs(words: string): string[] {
  return words.split('\n').flatMap((line) => (line === '' ? ['.PP'] : prose(line)));
}

/** Text in lines of limited length; a formatter wraps them again. */
function prose(words: string): string[] {
  const lines: string[] = [];
  for (const word of words.split(/\s+/).map(text)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > MAX_LINE) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Escaped text, in ASCII. */
function text(words: string): string {
  const escaped = words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll('"', '\\(dq')
    .replaceAll('~', '\\(ti')
    .replace(/[^ -\u007E]/gu, (character) => `\\[u${hex(character)}]`);
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped;
}

function hex(character: string): string {
  return (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}
