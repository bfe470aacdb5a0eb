/** Tokens → syntax tree: `[source] { "|" stage }`. One function per rule of the grammar; see parse-*.ts for the parts. */
import { QueryError } from '../errors.ts';
import { SOURCES, startsStage } from './keywords.ts';
import { quote } from './lex-string.ts';
import { nearest } from '../../base/text/nearest.ts';
import { parseSource } from './parse-source.ts';
import { parseStage } from './parse-stage.ts';
import type { Query, Stage } from './syntax.ts';
import { TokenStream } from './token-stream.ts';

/** Parses a query. Throws QueryError at the first word that does not fit. */
export function parse(query: string): Query {
  const tokens = new TokenStream(query);
  const source = parseSource(tokens);
  const stages: Stage[] = [];
  let open = source.kind === 'events' ? query.slice(source.event.start, source.event.end) : null;
  while (tokens.takeSymbol('|')) {
    stages.push(parseStage(tokens));
    open = null;
  }
  if (tokens.peek.kind !== 'end') failAtRest(tokens, open, source.start);
  return { source, stages };
}

/** @param event The event before, if it is all there is: it may be a misspelt source. */
function failAtRest(tokens: TokenStream, event: string | null, start: number): never {
  const meant = event === null || tokens.peek.kind === 'bad' ? null : nearest(event, SOURCES);
  if (meant !== null) {
    throw new QueryError(tokens.query, start, `expected \`|\` after the event \`${event}\``, {
      hints: [`did you mean \`${meant}\`?`],
    });
  }
  const next = tokens.keyword ?? '';
  if (startsStage(next)) return tokens.fail(EXPECTED, { hints: [`did you mean \`| ${next}\`?`] });
  const hints =
    event === null || next === '' ? [] : [`put a name of two words in quotes: ${quote(`${event} ${next}`)}`];
  return tokens.fail(EXPECTED, { words: CONTINUATIONS, hints });
}

const EXPECTED = 'expected `|` and a stage, or the end of the query';
/** Words that may continue a source or a stage. */
const CONTINUATIONS = ['returning', 'exclude', 'and', 'or', 'by', 'per', 'asc', 'desc', 'to'] as const;
