import { unseenGlobals } from '../client/unseen-globals.ts';
import { defineCommand, UsageError } from '../command.ts';
import { languageText } from './language-text.ts';

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
