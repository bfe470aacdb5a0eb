/** The expression of a formula: `+ -` over `* /` over a leading `-` over numbers, brackets and operands. */
import { METRIC_TRAITS } from '../plan/metrics.ts';
import { parseEvent, parseField, peekMetric } from './parse-name.ts';
import type { ExpressionNode, MetricNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** Nesting of brackets and leading `-`: evaluation recurses this deep. */
const MAX_DEPTH = 64;
/** A left-leaning chain of operators is a deep tree too. */
const MAX_OPERANDS = 128;

/** The whole expression after `formula`. */
export function parseExpression(tokens: TokenStream): ExpressionNode {
  return parseSum(tokens, { operands: 0 }, 0);
}

interface Limits {
  operands: number;
}

function parseSum(tokens: TokenStream, limits: Limits, depth: number): ExpressionNode {
  return parseChain(tokens, ['+', '-'], () => parseProduct(tokens, limits, depth));
}

function parseProduct(tokens: TokenStream, limits: Limits, depth: number): ExpressionNode {
  return parseChain(tokens, ['*', '/'], () => parseFactor(tokens, limits, depth));
}

/** Terms and operators of one rank, from left to right. */
function parseChain(
  tokens: TokenStream,
  ops: readonly ('+' | '-' | '*' | '/')[],
  parseTerm: () => ExpressionNode,
): ExpressionNode {
  let left = parseTerm();
  for (;;) {
    const op = ops.find((symbol) => tokens.atSymbol(symbol));
    if (op === undefined) return left;
    tokens.take();
    left = { kind: 'binary', op, left, right: parseTerm() };
  }
}

function parseFactor(tokens: TokenStream, limits: Limits, depth: number): ExpressionNode {
  if (depth > MAX_DEPTH) tokens.fail(`expected at most ${MAX_DEPTH} levels of nested brackets`);
  if (tokens.takeSymbol('-')) return { kind: 'negate', term: parseFactor(tokens, limits, depth + 1) };
  if (tokens.takeSymbol('(')) {
    const inner = parseSum(tokens, limits, depth + 1);
    if (!tokens.takeSymbol(')')) {
      tokens.fail('expected an operator or `)`');
    }
    return inner;
  }
  limits.operands++;
  if (limits.operands > MAX_OPERANDS) tokens.fail(`expected at most ${MAX_OPERANDS} numbers and operands`);
  return parseNumber(tokens) ?? parseOperand(tokens);
}

function parseNumber(tokens: TokenStream): ExpressionNode | null {
  const token = tokens.peek;
  if (token.kind !== 'word' || !/^[0-9]/.test(token.text)) return null;
  if (!/^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(token.text) || !Number.isFinite(Number(token.text))) {
    tokens.fail('expected a number');
  }
  tokens.take();
  return { kind: 'number', value: Number(token.text) };
}

/** `count(event)`, `unique(event[, field])`, `sum(event, field)` and so on. */
function parseOperand(tokens: TokenStream): ExpressionNode {
  const token = tokens.peek;
  const { word, metric } = peekMetric(tokens, 'expected a number, `(`, or an operand such as count(event)');
  if (METRIC_TRAITS[metric.name].value === 'text') {
    const hint = `its value is text; use a stage instead: event | ${word} field`;
    return tokens.fail('expected an operand that is a number', { hints: [hint] });
  }
  tokens.take();
  tokens.expectSymbol('(');
  const event = parseEvent(tokens);
  const field = parseOperandField(tokens, metric.name, word);
  if (!tokens.atSymbol(')')) {
    const mayFollow = METRIC_TRAITS[metric.name].field === 'optional' && field === null;
    tokens.fail(mayFollow ? 'expected `,` and a field, or `)`' : 'expected `)`');
  }
  const close = tokens.take();
  const span = { start: token.start, end: token.end };
  const text = tokens.query.slice(token.start, close.end);
  return { kind: 'operand', event, metric: { ...metric, word, field, ...span }, text };
}

function parseOperandField(tokens: TokenStream, metric: MetricNode['name'], word: string): MetricNode['field'] {
  const { field } = METRIC_TRAITS[metric];
  if (field === 'none' || (field === 'optional' && !tokens.atSymbol(','))) return null;
  if (!tokens.takeSymbol(',')) {
    tokens.fail('expected `,` and a field', { hints: [`${word} needs both: ${word}(event, field)`] });
  }
  return parseField(tokens);
}
