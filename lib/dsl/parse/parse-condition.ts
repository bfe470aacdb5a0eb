/** Conditions: `or` over `and` over `not` over tests of one field. */
import { foreignHints, metricInCondition } from './foreign-words.ts';
import { OPERATOR_WORDS } from './keywords.ts';
import { quote } from './lex-string.ts';
import type { SymbolText } from './lex.ts';
import { parseField } from './parse-name.ts';
import { readMetric } from '../plan/metrics.ts';
import type { Comparison, ConditionNode, FieldRef, LiteralNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** Nesting of brackets and `not`: the parser, the binder and the kernels recurse this deep. */
const MAX_DEPTH = 64;
/** The kernels test every row against every term. */
const MAX_TESTS = 1_000;

/** Parses one condition, up to the first word that does not belong to it. */
export function parseCondition(tokens: TokenStream): ConditionNode {
  return parseOr({ tokens, tests: 0 }, 0);
}

interface Parsing {
  readonly tokens: TokenStream;
  /** Tests read so far. */
  tests: number;
}

function parseOr(parsing: Parsing, depth: number): ConditionNode {
  return parseJoined(parsing.tokens, 'or', () => parseAnd(parsing, depth));
}

function parseAnd(parsing: Parsing, depth: number): ConditionNode {
  return parseJoined(parsing.tokens, 'and', () => parseNot(parsing, depth));
}

function parseJoined(tokens: TokenStream, kind: 'and' | 'or', parseTerm: () => ConditionNode): ConditionNode {
  const first = parseTerm();
  const terms = [first];
  const operators: number[] = [];
  while (tokens.keyword === kind) {
    operators.push(tokens.take().start);
    terms.push(parseTerm());
  }
  return terms.length === 1 ? first : { kind, terms, operators };
}

function parseNot(parsing: Parsing, depth: number): ConditionNode {
  const { tokens } = parsing;
  if (depth > MAX_DEPTH) tokens.fail(`expected at most ${MAX_DEPTH} levels of nested conditions`);
  if (tokens.keyword === 'not') {
    const at = tokens.take().start;
    return { kind: 'not', term: parseNot(parsing, depth + 1), at };
  }
  if (tokens.takeSymbol('(')) {
    const inner = parseOr(parsing, depth + 1);
    if (!tokens.takeSymbol(')')) {
      tokens.fail('expected `and`, `or` or `)`', { words: ['and', 'or'] });
    }
    return inner;
  }
  parsing.tests++;
  if (parsing.tests > MAX_TESTS) tokens.fail(`expected at most ${MAX_TESTS} conditions`);
  return parseTest(tokens);
}

function parseTest(tokens: TokenStream): ConditionNode {
  const expected = 'expected a condition: a field, an operator and a value';
  if (readMetric(tokens.keyword ?? '') !== null) tokens.fail(expected, { hints: metricInCondition });
  const field = parseField(tokens, expected);
  const operator = tokens.peek;
  if (operator.kind === 'symbol' && isOperator(operator.symbol)) {
    tokens.take();
    return parseComparison(tokens, field, operator.symbol);
  }
  const negated = tokens.takeKeyword('not');
  if (tokens.takeKeyword('contains')) return { kind: 'contains', field, negated, literal: parseLiteral(tokens) };
  if (tokens.takeKeyword('in')) return { kind: 'in', field, negated, literals: parseList(tokens) };
  if (tokens.takeKeyword('exists')) return { kind: 'exists', field, negated };
  if (negated) {
    return tokens.fail('expected `in`, `exists` or `contains` after `not`', { words: ['in', 'exists', 'contains'] });
  }
  const hints = foreignHints.operator(tokens.keyword ?? '');
  const expectation = hints.length > 0 ? { hints } : { words: OPERATOR_WORDS };
  return tokens.fail('expected an operator: = != > >= < <= ~ !~ contains, in, exists, not', expectation);
}

type Operator = Comparison | '~' | '!~';
const OPERATORS: readonly SymbolText[] = ['=', '!=', '>', '>=', '<', '<=', '~', '!~'];

/** What other languages write as one operator is two symbols here. */
const FOREIGN_OPERATORS: ReadonlyMap<string, string> = new Map([
  ['==', 'use a single `=` for equality'],
  ['<>', '`!=` means different'],
  ['=>', '`>=` means at least'],
  ['=<', '`<=` means at most'],
]);

function isOperator(symbol: SymbolText): symbol is Operator {
  return OPERATORS.includes(symbol);
}

function parseComparison(tokens: TokenStream, field: FieldRef, op: Operator): ConditionNode {
  const { peek } = tokens;
  const meant = peek.kind === 'symbol' ? FOREIGN_OPERATORS.get(op + peek.symbol) : undefined;
  if (meant !== undefined) tokens.fail(`expected a value after \`${op}\``, { hints: [meant] });
  const literal = parseLiteral(tokens);
  return op === '~' || op === '!~'
    ? { kind: 'matches', field, negated: op === '!~', literal }
    : { kind: 'compare', field, op, literal };
}

function parseList(tokens: TokenStream): LiteralNode[] {
  const square = tokens.takeSymbol('[');
  if (!square && !tokens.takeSymbol('(')) {
    tokens.fail('expected a list: ("a", "b") or ["a", "b"]');
  }
  const literals = [parseLiteral(tokens)];
  while (tokens.takeSymbol(',')) literals.push(parseLiteral(tokens));
  const close = square ? ']' : ')';
  if (!tokens.takeSymbol(close)) tokens.fail(`expected \`,\` or \`${close}\``);
  return literals;
}

/** `.5` and `5.` are numbers elsewhere, and as a text would be compared as a text. */
const POINT_AT_END = /^-?(?:\.[0-9]+|[0-9]+\.)$/;
const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function parseLiteral(tokens: TokenStream): LiteralNode {
  const token = tokens.peek;
  const span = { start: token.start, end: token.end };
  if (token.kind === 'string') {
    tokens.take();
    return { type: 'string', value: token.value, ...span };
  }
  const word = tokens.keyword;
  if (token.kind !== 'word' || word === null) {
    return tokens.fail('expected a value: a string in quotes, a number, true, false or null');
  }
  if (word === 'true' || word === 'false') {
    tokens.take();
    return { type: 'boolean', value: word === 'true', ...span };
  }
  if (word === 'null') {
    tokens.take();
    return { type: 'null', ...span };
  }
  if (!NUMBER.test(token.text)) {
    const words = ['true', 'false', 'null'];
    const hint = POINT_AT_END.test(token.text)
      ? `write digits before and after the point: ${Number(token.text)}`
      : `put text in quotes: ${quote(token.text)}`;
    return tokens.fail('expected a value', { words, hints: [hint] });
  }
  const value = Number(token.text);
  if (!Number.isFinite(value)) return tokens.fail('expected a number that fits in 64 bits');
  tokens.take();
  return { type: 'number', value: value === 0 ? 0 : value, ...span };
}
