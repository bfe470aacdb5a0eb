/** Arithmetic in the place of a field: `(event_properties.price * event_properties.quantity)`. */
import { parseExpression } from './parse-expression.ts';
import { parseField } from './parse-name.ts';
import type { FieldNode, FieldRef } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** A field, or arithmetic in parentheses. One field in parentheses is that field. */
export function parseNumberField(tokens: TokenStream, expected?: string): FieldRef {
  const { start } = tokens.peek;
  if (!tokens.takeSymbol('(')) return parseField(tokens, expected);
  const arithmetic = parseExpression(tokens, parseFieldNode);
  if (!tokens.takeSymbol(')')) tokens.fail('expected an operator or `)`');
  if (arithmetic.kind === 'field') return arithmetic;
  const text = tokens.query.slice(start, tokens.end);
  return { name: text, text, arithmetic, start, end: tokens.end };
}

function parseFieldNode(tokens: TokenStream): FieldNode {
  return { kind: 'field', ...parseField(tokens, 'expected a field, a number or `(`') };
}
