/** Expressions: `+ -` over `* /` over a leading `-` over numbers, parentheses and operands of one kind. */
import type { ExpressionNode } from './syntax.ts';
import type { TokenStream } from './token-stream.ts';

/** Nesting of brackets, leading `-` and `not`: the parser, the binder and evaluation recurse this deep. */
export const MAX_NESTING = 64;
/** A left-leaning chain of operators is a deep tree too. */
const MAX_OPERANDS = 128;

/** The longest expression that begins here. @param parseOperand Reads an operand, or fails. */
export function parseExpression<Operand>(
  tokens: TokenStream,
  parseOperand: (tokens: TokenStream) => Operand,
): ExpressionNode<Operand> {
  return parseSum({ tokens, parseOperand, operands: 0 }, 0);
}

interface Parsing<Operand> {
  readonly tokens: TokenStream;
  readonly parseOperand: (tokens: TokenStream) => Operand;
  /** Numbers and operands read so far. */
  operands: number;
}

function parseSum<Operand>(parsing: Parsing<Operand>, depth: number): ExpressionNode<Operand> {
  return parseChain(parsing.tokens, ['+', '-'], () => parseProduct(parsing, depth));
}

function parseProduct<Operand>(parsing: Parsing<Operand>, depth: number): ExpressionNode<Operand> {
  return parseChain(parsing.tokens, ['*', '/'], () => parseFactor(parsing, depth));
}

/** Terms and operators of one rank, from left to right. */
function parseChain<Operand>(
  tokens: TokenStream,
  ops: readonly ('+' | '-' | '*' | '/')[],
  parseTerm: () => ExpressionNode<Operand>,
): ExpressionNode<Operand> {
  let left = parseTerm();
  for (;;) {
    const op = ops.find((symbol) => tokens.atSymbol(symbol));
    if (op === undefined) return left;
    tokens.take();
    left = { kind: 'binary', op, left, right: parseTerm() };
  }
}

function parseFactor<Operand>(parsing: Parsing<Operand>, depth: number): ExpressionNode<Operand> {
  const { tokens } = parsing;
  if (depth > MAX_NESTING) tokens.fail(`expected at most ${MAX_NESTING} levels of nested brackets`);
  if (tokens.takeSymbol('-')) return { kind: 'negate', term: parseFactor(parsing, depth + 1) };
  if (tokens.takeSymbol('(')) {
    const inner = parseSum(parsing, depth + 1);
    if (!tokens.takeSymbol(')')) {
      tokens.fail('expected an operator or `)`');
    }
    return inner;
  }
  parsing.operands++;
  if (parsing.operands > MAX_OPERANDS) tokens.fail(`expected at most ${MAX_OPERANDS} numbers and operands`);
  return parseNumber(tokens) ?? parsing.parseOperand(tokens);
}

function parseNumber(tokens: TokenStream): { readonly kind: 'number'; readonly value: number } | null {
  const token = tokens.peek;
  if (token.kind !== 'word' || !/^[0-9]/.test(token.text)) return null;
  if (!/^[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/.test(token.text) || !Number.isFinite(Number(token.text))) {
    tokens.fail('expected a number');
  }
  tokens.take();
  return { kind: 'number', value: Number(token.text) };
}
