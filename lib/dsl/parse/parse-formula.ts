/** The expression of a formula, over metrics of events. */
import { METRIC_TRAITS } from '../plan/metrics.ts';
import { parseNumberField } from './parse-arithmetic.ts';
import { parseFilter } from './parse-condition.ts';
import { parseExpression } from './parse-expression.ts';
import { parseDuration, parseEvent, peekMetric } from './parse-name.ts';
import type { ExpressionNode, MetricNode, OperandNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** The whole expression after `formula`. */
export function parseFormula(tokens: TokenStream): ExpressionNode<OperandNode> {
  return parseExpression(tokens, parseOperand);
}

/** `count(event)`, `unique(event[, field])`, `sum(event, field)` and so on; the event may have a filter: `count(event[condition])`. */
function parseOperand(tokens: TokenStream): OperandNode {
  const token = tokens.peek;
  const { word, metric } = peekMetric(tokens, 'expected a number, `(`, or an operand such as count(event)');
  if (METRIC_TRAITS[metric.name].value === 'text') {
    const hint = `its value is text; use a stage instead: event | ${word} field`;
    return tokens.fail('expected an operand that is a number', { hints: [hint] });
  }
  tokens.take();
  tokens.expectSymbol('(');
  const event = parseEvent(tokens);
  const where = parseFilter(tokens);
  const field = parseOperandField(tokens, metric.name, word);
  if (!tokens.atSymbol(')')) {
    const mayFollow = METRIC_TRAITS[metric.name].field === 'optional' && field === null;
    tokens.fail(mayFollow ? 'expected `,` and a field, or `)`' : 'expected `)`');
  }
  tokens.take();
  const span = { start: token.start, end: token.end };
  const text = tokens.query.slice(token.start, tokens.end);
  const operand = {
    kind: 'operand',
    event,
    metric: { ...metric, word, of: null, field, where, alias: null, ...span },
  } as const;
  if (tokens.keyword !== 'rolling') return { ...operand, metric: { ...operand.metric, text } };
  const rolling = tokens.take();
  const duration = parseDuration(tokens);
  const whole = tokens.query.slice(token.start, tokens.end);
  const { start, end } = rolling;
  return { ...operand, metric: { ...operand.metric, text: whole }, rolling: { duration, start, end } };
}

function parseOperandField(tokens: TokenStream, metric: MetricNode['name'], word: string): MetricNode['field'] {
  const { field } = METRIC_TRAITS[metric];
  if (field === 'none' || (field === 'optional' && !tokens.atSymbol(','))) return null;
  if (!tokens.takeSymbol(',')) {
    tokens.fail('expected `,` and a field', { hints: [`${word} needs both: ${word}(event, field)`] });
  }
  return parseNumberField(tokens);
}
