/** Small changes of a program that a test should notice. */
import { Visitor, parseSync } from 'oxc-parser';

export interface Mutant {
  /** The replaced range, as offsets into the source. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

interface Node {
  readonly start: number;
  readonly end: number;
}

const OPPOSITES: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '&&': '||',
  '||': '&&',
  '??': '&&',
  '+=': '-=',
  '-=': '+=',
  '|=': '&=',
  '&=': '|=',
  '++': '--',
  '--': '++',
};

const METHODS: Readonly<Record<string, string>> = { some: 'every', every: 'some', min: 'max', max: 'min' };

/**
 * All mutants of a module, in source order. None within `threshold(…)`: both sides mean the same, and tests set it to its ends.
 * @param source JavaScript that parses.
 */
export function mutantsOf(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  const replace = ({ start, end }: Node, text: string): void => void found.push({ start, end, text });
  const swapBetween = (left: Node, right: Node, operator: string): void => {
    const opposite = OPPOSITES[operator];
    const start = source.indexOf(operator, left.end);
    if (opposite !== undefined && start < right.start) replace({ start, end: start + operator.length }, opposite);
  };
  const meansTheSame: Node[] = [];
  const negate = (test: Node): void => replace(test, `!(${source.slice(test.start, test.end)})`);

  new Visitor({
    BinaryExpression: ({ left, right, operator }) => swapBetween(left, right, operator),
    LogicalExpression: ({ left, right, operator }) => swapBetween(left, right, operator),
    AssignmentExpression: ({ left, right, operator }) => swapBetween(left, right, operator),
    UpdateExpression: ({ start, end, prefix, operator }) => {
      replace(prefix ? { start, end: start + 2 } : { start: end - 2, end }, OPPOSITES[operator]!);
    },
    UnaryExpression: ({ start, operator }) => {
      if (operator === '!') replace({ start, end: start + 1 }, '');
    },
    ConditionalExpression: ({ test }) => negate(test),
    IfStatement: ({ test }) => negate(test),
    ExpressionStatement: ({ start, end, expression }) => {
      if (expression.type === 'CallExpression') replace({ start, end }, ';');
    },
    CallExpression: (call) => {
      if (call.callee.type === 'Identifier' && call.callee.name === 'threshold') meansTheSame.push(call);
    },
    Literal: (literal) => {
      if (typeof literal.value === 'number') replace(literal, literal.value === 0 ? '1' : `(${literal.value} - 1)`);
      if (typeof literal.value === 'boolean') replace(literal, String(!literal.value));
    },
    MemberExpression: ({ computed, property }) => {
      const other = !computed && property.type === 'Identifier' ? METHODS[property.name] : undefined;
      if (other !== undefined) replace(property, other);
    },
  }).visit(parseSync('module.js', source, { sourceType: 'module' }).program);
  const within = ({ start, end }: Node): boolean =>
    meansTheSame.some((outer) => outer.start <= start && end <= outer.end);
  return found.filter((mutant) => !within(mutant)).toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** The source with one change applied. */
export function mutated(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}
