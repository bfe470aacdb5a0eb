import { unseenGlobals } from '../client/global-options.ts';
import { defineCommand, UsageError } from '../command.ts';
import { languagePage } from './language-page.ts';
import { markdownText } from './markdown-text.ts';

/** Columns that still read well. */
const MAX_WIDTH = 100;
const DEFAULT_WIDTH = 80;

/** Other lines that begin with `help` never get here: see help-line.ts. */
export const help = defineCommand({
  usage: 'help [topic..]',
  summary: 'Show help for a command, or for the query language with `query`',
  examples: [
    ['wl help query', 'the language: sources, stages, conditions, fields, with examples'],
    ['wl help track', 'as wl track --help'],
  ],
  shared: unseenGlobals(),
  options: { topic: { type: 'string', array: true, describe: 'Name of a command, or query' } },
  run: async ({ topic = [] }, terminal) => {
    if (topic.join(' ') !== 'query') throw new UsageError(`there is no help for \`${topic.join(' ')}\``);
    terminal.print(languageText(Math.min(terminal.stdout.columns ?? DEFAULT_WIDTH, MAX_WIDTH)));
    return 0;
  },
});

/** At most `width` columns wide, except for wider queries. */
export function languageText(width: number): string {
  const page = languagePage().replaceAll('\r\n', '\n');
  const [tutorial = '', reference = ''] = page.split(/^## Reference$/m);
  return `${markdownText(`# The query language\n\n${examplesOf(tutorial)}\n${reference}`, width)}\n`;
}

/** The tutorial's headings and queries, without the prose, the answers and the wrong queries. */
function examplesOf(tutorial: string): string {
  const [right = ''] = tutorial.split(/^### When something is wrong$/m);
  const kept = right.match(/^### .*$|^```pipe\n[^]*?^```$/gm) ?? [];
  const joined = kept.join('\n\n').replaceAll('\n```\n\n```pipe\n', '\n\n');
  return joined.slice(Math.max(0, joined.indexOf('### ')));
}
