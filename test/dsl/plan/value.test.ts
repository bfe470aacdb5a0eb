import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../lib/base/errors.ts';
import { PatternCheck } from '../../../lib/dsl/plan/pattern.ts';
import type { PlanLiteral, Test } from '../../../lib/dsl/plan/plan.ts';
import {
  compareCodePoints,
  compileTest,
  numberOf,
  numberText,
  roundComputed,
  spellsNumber,
} from '../../../lib/dsl/plan/value.ts';
import type { Value } from '../../../lib/dsl/plan/value.ts';
import { anyCharacter } from '../../support/any-character.ts';

const text = (of: string): Value => ({ type: 'string', text: of });
const yes: Value = { type: 'boolean', text: 'true' };
const no: Value = { type: 'boolean', text: 'false' };
const list: Value = { type: 'array', text: '[1,"a"]' };
const object: Value = { type: 'object', text: '{"a":1}' };

const string = (value: string): PlanLiteral => ({ type: 'string', value });
const number = (value: number): PlanLiteral => ({ type: 'number', value });
const boolean = (value: boolean): PlanLiteral => ({ type: 'boolean', value });
const time = (value: number): PlanLiteral => ({ type: 'time', value });

function passes(test: Test, ...values: Value[]): boolean[] {
  return values.map(compileTest(test));
}

describe('roundComputed', () => {
  it('keeps whole numbers, rounds others to 15 digits, and knows no infinite ones', () => {
    const computed = [2 ** 53 - 1, -0, 2740.4000000000005, 1 / 3, 1.7976931348623157e308, 1e21, Infinity, NaN];
    const rounded = [2 ** 53 - 1, 0, 2740.4, 0.333333333333333, 1.7976931348623157e308, 1e21, NaN, NaN];
    expect(computed.map(roundComputed)).to.deep.equal(rounded);
  });
});

describe('spellsNumber', () => {
  it('takes decimals with sign, fraction and exponent, all of the text', () => {
    const spelt = ['42', '42.0', '-1', '+1', '.5', '5.', '1e3', '1E-3', '007', '-.5e+1'];
    expect(spelt.map(spellsNumber)).to.deep.equal([42, 42, -1, 1, 0.5, 5, 1000, 0.001, 7, -5]);
  });

  it('takes nothing else', () => {
    for (const no of [
      '',
      ' 1',
      '1 ',
      '1,000',
      '1_000',
      '0x10',
      'Infinity',
      'NaN',
      '.',
      '+',
      '1e',
      'e1',
      '1.2.3',
      '1\n',
      '٣',
      '1e400',
      '-12e4567',
    ]) {
      expect(spellsNumber(no), JSON.stringify(no)).to.equal(null);
    }
  });
});

describe('numberText', () => {
  it('is the shortest decimal, and 0 for -0', () => {
    expect([0.1, 1e21, -0, 42, 1.5e-7].map(numberText)).to.deep.equal(['0.1', '1e+21', '0', '42', '1.5e-7']);
  });
});

describe('compareCodePoints', () => {
  it('puts what lies beyond the first plane after the last of it', () => {
    expect(compareCodePoints('\u{1F600}', '\uFFFD')).to.be.greaterThan(0);
    expect(['\uFFFD', '\u{1F600}'].sort()[0]).to.equal('\u{1F600}'); // why sort() is not enough
    expect(compareCodePoints('a', 'a')).to.equal(0);
    expect(compareCodePoints('a', 'ab')).to.be.lessThan(0);
    expect(compareCodePoints('B', 'a')).to.be.lessThan(0);
  });

  it('is the order of the code points', () => {
    const well = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(well, well, (a, b) => {
        const left = Array.from(a, (c) => c.codePointAt(0) ?? 0);
        const right = Array.from(b, (c) => c.codePointAt(0) ?? 0);
        const at = left.findIndex((c, i) => c !== right[i]);
        const order = at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? -1);
        expect(Math.sign(compareCodePoints(a, b))).to.equal(Math.sign(order));
      }),
    );
  });
});

describe('numberOf', () => {
  it('gives the number of numbers and of strings that spell one', () => {
    expect([42, text('42.0'), text('x'), yes, list, null].map(numberOf)).to.deep.equal([
      42,
      42,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('compileTest', () => {
  it('exists: present, not null, not ""', () => {
    expect(passes({ op: 'exists' }, 0, text('x'), no, object, text(''), null)).to.deep.equal([
      true,
      true,
      true,
      true,
      false,
      false,
    ]);
  });

  it('= number takes the number and strings that spell it', () => {
    const values = [42, text('42'), text('42.0'), text('4.2e1'), text(' 42'), 41, yes, null];
    expect(passes({ op: 'equals', literal: number(42) }, ...values)).to.deep.equal([
      ...[true, true, true, true],
      ...[false, false, false, false],
    ]);
    expect(passes({ op: 'equals', literal: number(1) }, yes)).to.deep.equal([false]);
    expect(passes({ op: 'equals', literal: number(0) }, -0, text('-0'))).to.deep.equal([true, true]);
  });

  it('= a whole number beyond 2^53 takes texts of its digits, and else its float; in likewise', () => {
    const literal = { type: 'number', value: 2 ** 53, digits: '9007199254740993' } as const;
    const others = [{ type: 'number', value: 1 }, { type: 'number', value: 1e16, digits: '10000000000000001' }] as const; // prettier-ignore
    for (const test of [{ op: 'equals', literal }, { op: 'in', literals: [...others, literal] }] as const) {
      const passes = compileTest(test);
      for (const text of ['9007199254740993', '+09007199254740993', '9007199254740992.0', '9007199254740993e0'])
        expect(passes({ type: 'string', text }), text).to.equal(true);
      for (const text of ['9007199254740992', '9007199254740994', '-9007199254740993', '10000000000000000', '[9007199254740993]', 'x'])
        expect(passes({ type: 'string', text }), text).to.equal(false);
      expect([passes(2 ** 53), passes(2 ** 53 - 1), passes(null)]).to.deep.equal([true, false, false]);
    }
    const both = compileTest({ op: 'in', literals: [literal, { type: 'number', value: 2 ** 53 }] });
    expect(both({ type: 'string', text: '9007199254740994' })).to.equal(false);
    expect(both({ type: 'string', text: '9007199254740992' })).to.equal(true); // the float of the second, which has no digits
  }); // prettier-ignore

  it('= string takes the text of any type', () => {
    expect(passes({ op: 'equals', literal: string('42') }, 42, text('42'), text('42.0'))).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect(passes({ op: 'equals', literal: string('42.0') }, 42, text('42.0'))).to.deep.equal([false, true]);
    expect(passes({ op: 'equals', literal: string('1e+21') }, 1e21)).to.deep.equal([true]);
    expect(passes({ op: 'equals', literal: string('0') }, -0, 0, text('-0'))).to.deep.equal([true, true, false]);
    expect(passes({ op: 'equals', literal: string('true') }, yes, text('true'), 1)).to.deep.equal([true, true, false]);
    expect(passes({ op: 'equals', literal: string('[1,"a"]') }, list)).to.deep.equal([true]);
    expect(passes({ op: 'equals', literal: string('') }, text(''), null)).to.deep.equal([true, false]);
  });

  it('= true takes true, 1, "true", "1"; = false false, 0, "false", "0"', () => {
    const values = [yes, 1, text('true'), text('1'), text('1.0'), text('TRUE'), 2, no, null];
    expect(passes({ op: 'equals', literal: boolean(true) }, ...values)).to.deep.equal([
      ...[true, true, true, true],
      ...[false, false, false, false, false],
    ]);
    const others = [no, 0, -0, text('false'), text('0'), text(''), text('-0'), null];
    expect(passes({ op: 'equals', literal: boolean(false) }, ...others)).to.deep.equal([
      ...[true, true, true, true, true],
      ...[false, false, false],
    ]);
  });

  it('in takes what equals one of the literals', () => {
    const test: Test = { op: 'in', literals: [number(42), string('x'), boolean(true), time(7)] };
    expect(passes(test, 42, text('42.0'), text('x'), yes, 1, 7)).to.deep.equal([true, true, true, true, true, true]);
    expect(passes(test, 43, text('X'), no, text('7'), null)).to.deep.equal([false, false, false, false, false]);
    expect(passes({ op: 'in', literals: [] }, 1, null)).to.deep.equal([false, false]);
  });

  it('in equals the or of its equals', () => {
    const literal = fc.oneof(
      fc.constantFrom('1', '1.0', 'true', 'x', '', '0', '-0').map(string),
      fc.constantFrom(0, 1, 42).map(number),
      fc.boolean().map(boolean),
    );
    const value = fc.constantFrom<Value>(
      0,
      1,
      42,
      yes,
      no,
      text('1'),
      text('1.0'),
      text('x'),
      text(''),
      text('42'),
      null,
    );
    fc.assert(
      fc.property(fc.array(literal), value, (literals, of) => {
        const one = literals.some((each) => compileTest({ op: 'equals', literal: each })(of));
        expect(compileTest({ op: 'in', literals })(of)).to.equal(one);
      }),
    );
  });

  it('compares numerically with a number, and what spells none does not match', () => {
    const values = [43, text('100'), 42, text('abc'), yes, null];
    expect(passes({ op: 'compare', sign: '>', literal: number(42) }, ...values)).to.deep.equal([
      ...[true, true],
      ...[false, false, false, false],
    ]);
    expect(passes({ op: 'compare', sign: '>=', literal: number(42) }, 42, text('42.0'))).to.deep.equal([true, true]);
    expect(passes({ op: 'compare', sign: '<', literal: number(42) }, 41, 42)).to.deep.equal([true, false]);
    expect(passes({ op: 'compare', sign: '<=', literal: number(42) }, 42, 43)).to.deep.equal([true, false]);
  });

  it('compares by code point of the text with a string, whatever the type', () => {
    expect(passes({ op: 'compare', sign: '>', literal: string('5') }, 42, 6, text('a'), yes, null)).to.deep.equal([
      ...[false, true, true, true],
      false,
    ]);
    expect(passes({ op: 'compare', sign: '<', literal: string('\u{1F600}') }, text('\uFFFD'))).to.deep.equal([true]);
    expect(passes({ op: 'compare', sign: '<=', literal: string('b') }, text('b'), text('ba'))).to.deep.equal([
      true,
      false,
    ]);
    expect(passes({ op: 'compare', sign: '>=', literal: string('b') }, text('b'), text('a'))).to.deep.equal([
      true,
      false,
    ]);
  });

  it('compares times with times', () => {
    expect(passes({ op: 'compare', sign: '>=', literal: time(5) }, 5, 4, text('6'), null)).to.deep.equal([
      ...[true, false],
      ...[false, false],
    ]);
    expect(passes({ op: 'equals', literal: time(5) }, 5, 4)).to.deep.equal([true, false]);
  });

  it('contains looks for the text, case and all', () => {
    const values = [text('a.b'), text('A.B'), 4.5, list, null];
    expect(passes({ op: 'contains', text: '.' }, ...values)).to.deep.equal([true, true, true, false, false]);
    expect(passes({ op: 'contains', text: 'a' }, ...values)).to.deep.equal([true, false, false, true, false]);
    expect(passes({ op: 'contains', text: '' }, text(''), null)).to.deep.equal([true, false]);
  });

  it('matches searches, unanchored, in linear time', () => {
    expect(passes({ op: 'matches', pattern: 'b+' }, text('abbc'), text('B'), null)).to.deep.equal([true, false, false]);
    expect(passes({ op: 'matches', pattern: '^4' }, 42, 24)).to.deep.equal([true, false]);
    expect(passes({ op: 'matches', pattern: '^.$' }, text('\u{1F600}'))).to.deep.equal([true]);
    expect(passes({ op: 'matches', pattern: '(x+x+)+y' }, text('x'.repeat(5_000)))).to.deep.equal([false]);
  });

  it('refuses a pattern that RE2 does not take', () => {
    expect(() => compileTest({ op: 'matches', pattern: '(' })).to.throw(AppError, 'missing closing )');
  });
});

describe('PatternCheck', () => {
  /** As of a stored one, which may be longer than a new one. */
  const problem = (pattern: string): string | null => new PatternCheck([pattern]).problem(pattern);

  it('takes no new one of more than 1,000 characters, whatever it is', () => {
    const [longest, longer] = ['é'.repeat(1_000), '('.repeat(1_001)];
    const check = new PatternCheck(['(a)'.repeat(400)]);
    expect(check.problem(longest)).to.equal(null);
    expect(check.problem(longer)).to.contain('1,001 characters and the limit is 1,000');
    expect(check.isTooLong(longer)).to.equal(true);
    expect(check.problem('(a)'.repeat(400)), 'a stored one').to.equal(null);
    expect(check.isTooLong('(a)'.repeat(400))).to.equal(false);
  });

  it('has no problem with a pattern, else says what is wrong', () => {
    expect(problem('^a(b|c)*\\d$')).to.equal(null);
    expect(problem('(?=x)')).to.contain('(?=');
    expect(problem('(a)\\1')).to.contain('\\1');
    expect(problem('[')).to.contain('not a valid RE2 regular expression');
    expect(problem('a{1001}')).to.contain('not a valid RE2 regular expression');
    expect(problem('a{1000}'.repeat(21))).to.contain('too large; use smaller repeats');
    expect(problem('('.repeat(5_000) + ')'.repeat(5_000))).to.contain('too deeply');
  });

  it('compiles none that would take long', () => {
    for (const pattern of [
      `(?i)${'[B-\u{1e942}]'.repeat(20)}`,
      `(?i)${'[^\\x{42}-\\x{1e942}]'.repeat(20)}`,
      `(?si:${'[a\\-B-\u{1e942}[:alpha:]]'.repeat(20)})`,
      `(?i)[]${'B-\u{1e942}'.repeat(20)}]`,
      '\\w{1000}'.repeat(60),
      `(${'ab'.repeat(100)}){1000}`,
      '((a{10}){10}){1000}',
      `\\Q[(\\E${'(?:xy){1000}'.repeat(30)}`,
      '\\pL'.repeat(600),
      '[\\PL\\p{Greek}]'.repeat(300),
    ])
      expect(problem(pattern), pattern.slice(0, 40)).to.contain('too large together');
  });

  it('compiles what people write, and many of it for one query', () => {
    const check = new PatternCheck([]);
    for (const pattern of [
      '(?i)^[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$',
      '(?i)[\u0430-\u044f\u0451]+',
      '^/(?:blog|docs)/\\d{4}/[^/?#]*$',
      '\\p{Lu}\\p{Ll}{2,20} \\Q(x)\\E',
      `^(?:${'word|'.repeat(190)}end)$`,
      ...Array.from({ length: 200 }, (_, nth) => `(a|b)*x${nth}.*y`),
    ])
      expect(check.problem(pattern), pattern.slice(0, 40)).to.equal(null);
  });

  it('counts all patterns of a query', () => {
    const check = new PatternCheck([]);
    const large = '\\w{900}'.repeat(20);
    expect(check.problem(large)).to.equal(null);
    expect(check.problem(large)).to.contain('too large together');
    expect(check.problem('a')).to.contain('too large together');
  });
});
