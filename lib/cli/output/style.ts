import type { TableStyle } from './table.ts';

/** What a stream tells of the terminal behind it; `process.stdout` fits. */
interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Width where a terminal does not tell its own, as some below editors and serial lines. */
const DEFAULT_WIDTH = 80;

/** How tables are printed to a stream: as wide as its terminal, or not cut at all where there is none. */
export function styleOf(screen: Screen, env: Environment, noColor: boolean): TableStyle {
  const width = screen.isTTY === true ? screen.columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY;
  return { width, color: !noColor && wantsColor(screen, env) };
}

/** NO_COLOR (https://no-color.org) goes before FORCE_COLOR, which goes before what the terminal can. */
function wantsColor(screen: Screen, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return screen.isTTY === true && env['TERM'] !== 'dumb';
}
