import { CATALOG } from '../catalog.ts';

/** `wl help admin org` means `wl admin org --help`; `wl help query` is the page of the language. Other lines stay as they are. */
export function withoutHelpWord(args: readonly string[]): readonly string[] {
  const [first, ...topic] = args;
  const words = topic.filter((word) => !word.startsWith('-'));
  if (first !== 'help' || (words.join(' ') === 'query' && !topic.includes('--help'))) return args;
  const [command] = topic;
  const isCommand = CATALOG.some(({ name, aliases = [] }) => [name, ...aliases].some((one) => one === command));
  return command === undefined || command.startsWith('-') || isCommand ? [...topic, '--help'] : args;
}
