/** Tokens → syntax tree: `[source] { "|" stage }`. One function per rule of the grammar; see parse-*.ts for the parts. */
import { QueryError } from '../errors.ts';
import { foreignHints, hintsOfLength } from './foreign-words.ts';
import { LATER_SOURCES, SOURCES, startsStage } from './keywords.ts';
import { nearest } from '../../base/text/nearest.ts';
import { readMetric } from '../plan/metrics.ts';
import { hintsOfTwoWords } from './parse-name.ts';
import { parseSource } from './parse-source.ts';
import { atAsOf, parseStage } from './parse-stage.ts';
import type { EventRef, Query, Source, Stage } from './syntax.ts';
import { TokenStream } from './token-stream.ts';

/** Parses a query. Throws QueryError at the first word that does not fit. */
export function parse(query: string): Query {
  const tokens = new TokenStream(query);
  const source = parseSource(tokens);
  const stages: Stage[] = [];
  // A formula ends where its groups begin, as metrics do.
  if (source.kind === 'formula' && tokens.keyword === 'by') stages.push(parseStage(tokens, source.kind));
  while (tokens.takeSymbol('|')) {
    const stage = parseStage(tokens, source.kind);
    stages.push(stage);
    const mayEnd = stage.kind === 'metrics' || stage.kind === 'by';
    if (mayEnd && atAsOf(tokens)) stages.push(parseStage(tokens, source.kind));
  }
  if (tokens.peek.kind !== 'end') failAtRest(tokens, source, stages.at(-1));
  return { source, stages };
}

/** @param last The stage before the rest, if any. */
function failAtRest(tokens: TokenStream, source: Source, last: Stage | undefined): never {
  const next = tokens.keyword ?? '';
  const isOnlySource = last === undefined;
  if (isOnlySource && source.kind === 'events') refuseMisspeltSource(tokens, source);
  if (isOnlySource && source.kind === 'formula') {
    const hints = readMetric(next) === null ? [] : ['`+`, `-`, `*` or `/` stands between operands'];
    if (hints.length > 0)
      return tokens.fail('expected an operator, `|` and a stage, or the end of the query', { hints });
  }
  if (startsStage(next)) {
    return tokens.fail(EXPECTED, { hints: [`did you mean \`| ${next}\`?`, ...foreignHints.stage(next)] });
  }
  if (isOnlySource && source.kind === 'events') {
    const hints = hintsOfSeveral(tokens);
    if (hints.length > 0) return tokens.fail(EXPECTED, { hints });
  }
  const hints = [...foreignHints.stage(next)];
  if (last?.kind === 'range' && last.range.kind === 'from')
    hints.push(...hintsOfLength(`${(last.range.to ?? last.range.from).text} ${next}`));
  if (isOnlySource) hints.push(...hintsOfReturning(tokens, source), ...hintsOfTwoWords(tokens, lastEvent(source)));
  if (nearest(next, ['by']) !== null) hints.unshift('did you mean `| by`?');
  return tokens.fail(EXPECTED, { words: continuations(source, last), hints });
}

/** Words that may continue the source, or the stage if there is one. */
function continuations(source: Source, last: Stage | undefined): readonly string[] {
  switch (last?.kind) {
    case undefined:
      return source.kind === 'retention' ? ['returning'] : source.kind === 'funnel' ? ['exclude'] : [];
    case 'where':
      return ['and', 'or'];
    case 'latest':
      return last.per === null ? ['per'] : [];
    case 'sort':
      return last.direction === null ? ['desc', 'asc'] : []; // of `dsc`, both are one edit away
    case 'range':
      return last.range.kind === 'from' && last.range.to === null ? ['to'] : [];
    default:
      return [];
  }
}

/** An event before a word that does not fit may be a misspelt source: `retension signup`. */
function refuseMisspeltSource(tokens: TokenStream, { event, start }: Extract<Source, { kind: 'events' }>): void {
  const text = tokens.textOf(event);
  const meant = tokens.peek.kind === 'bad' ? null : nearest(text, [...SOURCES, ...LATER_SOURCES]);
  if (meant === null) return;
  throw new QueryError(tokens.query, start, `expected \`|\` after the event \`${text}\``, {
    hints: [`did you mean \`${meant}\`?`],
  });
}

/** For `a -> b` and `a, b`: a source of one event reads no more of them. */
function hintsOfSeveral(tokens: TokenStream): string[] {
  if (tokens.atSymbol('->')) return [`did you mean \`funnel ${tokens.query.trim()}\`?`];
  const joined = tokens.atSymbol(',') || ['and', 'or'].includes(tokens.keyword ?? '');
  return joined ? ['for several events write `* | where event_type in ("a", "b")`'] : [];
}

/** For `retention a -> b` and `retention a b`. */
function hintsOfReturning(tokens: TokenStream, source: Source): string[] {
  if (source.kind !== 'retention' || source.returning !== null) return [];
  const isEvent = tokens.atSymbol('->') || tokens.atSymbol(',') || tokens.peek.kind === 'string';
  return isEvent || tokens.peek.kind === 'word' ? ['the event of those who return follows `returning`'] : [];
}

/** The event that ends a source, if one does. */
function lastEvent(source: Source): EventRef | null {
  switch (source.kind) {
    case 'retention':
      return source.returning ?? source.event;
    case 'funnel':
      return source.exclude.at(-1) ?? source.steps.at(-1)?.events.at(-1) ?? null;
    case 'choice':
      return { name: source.key.value, start: source.key.start, end: source.key.end };
    default:
      return 'event' in source ? source.event : null;
  }
}

const EXPECTED = 'expected `|` and a stage, or the end of the query';
