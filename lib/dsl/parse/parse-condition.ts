/** Conditions: `or` over `and` over `not` over tests of one field. */
import { foreignHints, metricInCondition } from './foreign-words.ts';
import { OPERATOR_WORDS } from './keywords.ts';
import { quote } from './lex-string.ts';
import type { SymbolText } from './lex.ts';
import { parseNumberField } from './parse-arithmetic.ts';
import { parseDid } from './parse-did.ts';
import { parseColumn, parseString } from './parse-name.ts';
import { readMetric } from '../plan/metrics.ts';
import type { CohortNode, Comparison, ConditionNode, FieldRef, LiteralNode, TextOperator } from './syntax.ts';
import { TokenStream } from './token-stream.ts';
import { longDigits } from '../plan/value.ts';
import { MAX_NESTING } from './parse-expression.ts';

/** The kernels test every row against every term. */
export const MAX_TESTS = 1_000;

/** Parses one condition, up to the first word that does not belong to it. */
export function parseCondition(tokens: TokenStream): ConditionNode {
  return parseOr({ tokens, parseTested: parseTestedField, tests: 0 }, 0);
}

/** A whole text that is one: that of a cohort. Throws QueryError at the first word that does not fit. */
export function parseWhere(text: string): ConditionNode {
  const tokens = new TokenStream(text);
  const hints = tokens.keyword === 'where' ? ['leave `where` out: a cohort is the condition behind it'] : [];
  if (hints.length > 0) tokens.fail('expected a condition', { hints });
  const condition = parseCondition(tokens);
  if (tokens.peek.kind !== 'end')
    tokens.fail('expected `and`, `or` or the end of the condition', { words: ['and', 'or'] });
  return condition;
}

/** The same over columns of the answer. */
export function parseColumnCondition(tokens: TokenStream): ConditionNode {
  return parseOr({ tokens, parseTested: parseTestedColumn, tests: 0 }, 0);
}

/** `[condition]`, where there is one. */
export function parseFilter(tokens: TokenStream): ConditionNode | null {
  return parseBrackets(tokens, () => parseCondition(tokens));
}

function parseBrackets(tokens: TokenStream, parseInner: () => ConditionNode): ConditionNode | null {
  if (!tokens.takeSymbol('[')) return null;
  const condition = parseInner();
  tokens.expectSymbol(']');
  return condition;
}

interface Parsing {
  readonly tokens: TokenStream;
  /** Reads what a test is of. */
  readonly parseTested: (tokens: TokenStream) => FieldRef;
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
  if (depth > MAX_NESTING) tokens.fail(`expected at most ${MAX_NESTING} levels of nested conditions`);
  if (tokens.keyword === 'not') {
    const at = tokens.take().start;
    return { kind: 'not', term: parseNot(parsing, depth + 1), at };
  }
  if (!tokens.atArithmetic && tokens.takeSymbol('(')) {
    const inner = parseOr(parsing, depth + 1);
    if (!tokens.takeSymbol(')')) {
      tokens.fail('expected `and`, `or` or `)`', { words: ['and', 'or'] });
    }
    return inner;
  }
  parsing.tests++;
  if (parsing.tests > MAX_TESTS) tokens.fail(`expected at most ${MAX_TESTS} conditions`);
  if (tokens.keyword === 'did' && tokens.isBeforeParenthesis) {
    return parseDid(tokens, () => parseBrackets(tokens, () => parseOr(parsing, depth + 1)));
  }
  if (tokens.keyword === 'cohort' && tokens.isBeforeString) {
    const { start, end } = tokens.peek;
    return { ...parseCohort(tokens), start, end };
  }
  return parseTest(parsing);
}

/** `cohort "buyers"`. */
export function parseCohort(tokens: TokenStream): CohortNode {
  tokens.take();
  return { kind: 'cohort', cohort: parseString(tokens, 'expected the name of a cohort in quotes') };
}

function parseTestedField(tokens: TokenStream): FieldRef {
  const expected = 'expected a condition: a field, an operator and a value';
  if (readMetric(tokens.keyword ?? '') !== null) tokens.fail(expected, { hints: metricInCondition });
  if (tokens.keyword === 'did') tokens.fail(expected, { hints: ['`did(purchase) >= 2` asks what a person did'] });
  if (tokens.keyword === 'cohort') tokens.fail(expected, { hints: ['`cohort "buyers"` is true of its people'] });
  return parseNumberField(tokens, expected);
}

function parseTestedColumn(tokens: TokenStream): FieldRef {
  const column = parseColumn(tokens, 'expected a condition: a column of the answer, an operator and a value');
  return { ...column, name: column.text };
}

function parseTest({ tokens, parseTested }: Parsing): ConditionNode {
  const field = parseTested(tokens);
  const operator = tokens.peek;
  if (operator.kind === 'symbol' && isOperator(operator.symbol)) {
    tokens.take();
    return parseComparison(tokens, field, operator.symbol);
  }
  const negated = tokens.takeKeyword('not');
  const kind = takeTextOperator(tokens);
  if (kind !== null) return { kind, field, negated, literal: parseLiteral(tokens) };
  if (tokens.takeKeyword('has')) return { kind: 'has', field, negated, literal: parseLiteral(tokens) };
  if (tokens.takeKeyword('in')) return { kind: 'in', field, negated, literals: parseList(tokens) };
  if (tokens.takeKeyword('exists')) return { kind: 'exists', field, negated };
  if (negated) {
    const words = OPERATOR_WORDS.filter((word) => word !== 'not');
    return tokens.fail(`expected one of ${words.join(', ')} after \`not\``, { words });
  }
  const hints = foreignHints.operator(tokens.keyword ?? '');
  const expectation = hints.length > 0 ? { hints } : { words: OPERATOR_WORDS };
  return tokens.fail(`expected an operator: = != > >= < <= ~ !~ ${OPERATOR_WORDS.join(', ')}`, expectation);
}

function takeTextOperator(tokens: TokenStream): TextOperator | null {
  if (tokens.takeKeyword('contains')) return 'contains';
  const word = (['starts', 'ends'] as const).find((one) => tokens.takeKeyword(one));
  if (word === undefined) return null;
  if (!tokens.takeKeyword('with')) tokens.fail(`expected \`with\` after \`${word}\``, { words: ['with'] });
  return `${word} with`;
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
  const digits = longDigits(token.text);
  return { type: 'number', value: value === 0 ? 0 : value, ...(digits === null ? {} : { digits }), ...span };
}
