import type { TableStyle } from './table.ts';

/** What a stream knows of its terminal; `process.stdout` fits. */
interface Screen {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Width if a terminal does not report its own, as in some editors and on serial lines. */
const DEFAULT_WIDTH = 80;

/** How to print tables to a stream: as wide as its terminal, or uncut without one. */
export function styleOf(screen: Screen, env: Environment, noColor: boolean): TableStyle {
  const width = screen.isTTY === true ? screen.columns || DEFAULT_WIDTH : Number.POSITIVE_INFINITY;
  return { width, color: !noColor && wantsColor(screen, env) };
}

/** NO_COLOR (https://no-color.org) overrides FORCE_COLOR, which overrides the terminal's abilities. */
function wantsColor(screen: Screen, env: Environment): boolean {
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  const forced = env['FORCE_COLOR'];
  if (forced !== undefined) return forced !== '0' && forced !== 'false';
  return screen.isTTY === true && env['TERM'] !== 'dumb';
}
