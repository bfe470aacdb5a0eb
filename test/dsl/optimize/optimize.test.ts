import { expect } from 'chai';
import fc from 'fast-check';
import { bind } from '../../../lib/dsl/bind/bind.ts';
import { zoneOf } from '../../../lib/dsl/plan/columns.ts';
import { fieldKey } from '../../../lib/dsl/plan/fields.ts';
import { dropRedundant, findContradictions, flattenConditions } from '../../../lib/dsl/optimize/optimize.ts';
import { foldConstants } from '../../../lib/dsl/optimize/optimize.ts';
import { dropUnstored, foldEventType, pushEventType } from '../../../lib/dsl/optimize/optimize.ts';
import { mergeEqualsIntoIn } from '../../../lib/dsl/optimize/optimize.ts';
import { optimize, PASSES } from '../../../lib/dsl/optimize/optimize.ts';
import type { Pass } from '../../../lib/dsl/optimize/optimize.ts';
import { parse } from '../../../lib/dsl/parse/parse.ts';
import type { AggregatePlan, Condition, Field, PlanLiteral, Plan, Test } from '../../../lib/dsl/plan/plan.ts';
import { printCondition } from '../../../lib/dsl/hints/print-plan.ts';
import { compileTest, type Value } from '../../../lib/dsl/plan/value.ts';
import { aggregate } from '../plans.ts';
import { CONTEXT } from '../queries.ts';

function bound(query: string): Plan {
  return bind(query, parse(query), CONTEXT);
}

function whereOf(plan: Plan): string {
  return plan.where === null ? 'none' : printCondition(plan.where, zoneOf(plan));
}

/** The condition of `*` after a pass, as text. */
function after(pass: Pass, condition: string, source = '*'): string {
  return whereOf(pass.run(bound(`${source} | where ${condition}`)));
}

function eventOf(plan: Plan): unknown {
  return 'event' in plan ? plan.event : undefined;
}

describe('flatten-conditions', () => {
  it('takes terms out of brackets of the same kind', () => {
    expect(after(flattenConditions, '(user.a = 1 and (user.b = 2 and user.c = 3)) and user.d = 4')).to.equal(
      'user.a = 1 and user.b = 2 and user.c = 3 and user.d = 4',
    );
    expect(after(flattenConditions, '(user.a = 1 or user.b = 2) and user.c = 3')).to.equal(
      '(user.a = 1 or user.b = 2) and user.c = 3',
    );
  });

  it('takes two not away', () => {
    expect(after(flattenConditions, 'not not not user.a != 1')).to.equal('user.a = 1');
  });

  it('reaches the conditions of steps and of rows', () => {
    const funnel = flattenConditions.run(bound('funnel a[not not user.a = 1] -> b'));
    expect(funnel).to.have.nested.property('steps[0].where.kind', 'test');
    const latest = flattenConditions.run(bound('* | latest user.a | where not not entity = "x"'));
    expect(latest).to.have.nested.property('whereRows.kind', 'test');
  });
});

describe('push-event-type', () => {
  it('makes the event of a demanded event type', () => {
    for (const source of ['*', 'user "u"', 'lifecycle *', 'stickiness *']) {
      const plan = pushEventType.run(bound(`${source} | where event_type = "signup" and user.a = 1`));
      expect(eventOf(plan), source).to.equal('signup');
    }
    expect(eventOf(pushEventType.run(bound('* | where event_type = "signup" | latest user.a')))).to.equal('signup');
  });

  it('leaves what means something else', () => {
    const conditions = [
      'event_type = "a" or user.a = 1',
      'event_type != "a"',
      'event_type = 42',
      'event_type in ("a")',
    ];
    for (const condition of conditions) {
      expect(eventOf(pushEventType.run(bound(`* | where ${condition}`))), condition).to.equal(null);
    }
    for (const source of ['inspect *', 'retention *', 'paths from *']) {
      const plan = bound(`${source} | where event_type = "signup"`);
      expect(pushEventType.run(plan), source).to.equal(plan);
    }
    expect(eventOf(pushEventType.run(bound('login | where event_type = "signup"')))).to.equal('login');
  });
});

describe('fold-event-type', () => {
  it('knows tests of the event type where all rows have one', () => {
    expect(after(foldEventType, 'event_type = "a" and user.a = 1', 'a')).to.equal('true and user.a = 1');
    expect(after(foldEventType, 'event_type != "a"', 'a')).to.equal('not true');
    expect(after(foldEventType, 'event_type in ("b", "c") or event_type ~ "^a"', 'a')).to.equal('false or true');
    expect(after(foldEventType, 'event_type = 42', '"42.0"')).to.equal('true');
  });

  it('knows them in the filter of a step, and not elsewhere in a funnel', () => {
    const plan = foldEventType.run(bound('funnel a[event_type = "b"] -> *[event_type = "b"] | where event_type = "a"'));
    expect(plan).to.have.nested.property('steps[0].where.kind', 'constant');
    expect(plan).to.have.nested.property('steps[1].where.kind', 'test');
    expect(plan).to.have.nested.property('where.kind', 'test');
  });

  it('leaves plans over events of any type', () => {
    expect(after(foldEventType, 'event_type = "a"')).to.equal('event_type = "a"');
    expect(after(foldEventType, 'event_type = "a"', 'retention a')).to.equal('event_type = "a"');
  });
});

describe('drop-unstored', () => {
  const [longest, longer] = ['e'.repeat(256), 'e'.repeat(257)];

  it('knows that no event has a type of more than 256 characters', () => {
    expect(after(dropUnstored, 'user.a = 1', `"${longer}"`)).to.equal('false');
    expect(after(dropUnstored, 'user.a = 1', `"${longest}"`)).to.equal('user.a = 1');
    expect(after(dropUnstored, 'user.a = 1', `"${'😀'.repeat(256)}"`)).to.equal('user.a = 1');
    expect(after(dropUnstored, 'user.a = 1', `inspect "${longer}"`)).to.equal('false');
    expect(after(dropUnstored, 'user.a = 1', `retention "${longer}"`), 'on other events, too').to.equal('user.a = 1');
    const funnel = dropUnstored.run(bound(`funnel "${longer}"[user.a = 1] -> b[user.a = 1]`));
    expect(funnel).to.have.nested.property('steps[0].where.kind', 'constant');
    expect(funnel).to.have.nested.property('steps[1].where.kind', 'test');
  });

  it('knows that no property has a longer key, but for those inside of objects', () => {
    for (const prefix of ['user', 'user_properties', 'event_properties']) {
      expect(after(dropUnstored, `${prefix}.${longer} = 1 or not ${prefix}.${longer} exists`)).to.equal(
        'false or not false',
      );
      for (const kept of [longest, `${longest}.${longer}`])
        expect(after(dropUnstored, `${prefix}.${kept} = 1`)).to.equal(`${prefix}.${kept} = 1`);
    }
  });
});

describe('merge-equals-into-in', () => {
  it('makes one list of alternatives of one field', () => {
    expect(after(mergeEqualsIntoIn, 'user.a = 1 or user.b = 2 or user.a in ("x", 1) or user.a = true')).to.equal(
      'user.a in (1, "x", true) or user.b = 2',
    );
    expect(after(mergeEqualsIntoIn, 'user.a = 1 or user.a = 2')).to.equal('user.a in (1, 2)');
  });

  it('makes an equality of a list of one', () => {
    expect(after(mergeEqualsIntoIn, 'user.a in ("x", "x")')).to.equal('user.a = "x"');
    expect(after(mergeEqualsIntoIn, 'user.a not in (1)')).to.equal('not user.a = 1');
  });

  it('keeps 1 and "1" apart, fields of other kinds, and what stands under and', () => {
    expect(after(mergeEqualsIntoIn, 'user.a in (1, "1")')).to.equal('user.a in (1, "1")');
    expect(after(mergeEqualsIntoIn, 'user.email = "x" or user_properties.email = "x"')).to.equal(
      'user.email = "x" or user_properties.email = "x"',
    );
    expect(after(mergeEqualsIntoIn, 'user.a = 1 and user.a = 2')).to.equal('user.a = 1 and user.a = 2');
    expect(after(mergeEqualsIntoIn, 'user.a = 1 or user.a != 2')).to.equal('user.a = 1 or not user.a = 2');
  });
});

describe('drop-redundant', () => {
  it('keeps one of equal terms', () => {
    expect(after(dropRedundant, 'user.a = 1 and user.b = 2 and user.a = 1')).to.equal('user.a = 1 and user.b = 2');
    expect(after(dropRedundant, 'not user.a = 1 or not user.a = 1')).to.equal('not user.a = 1');
  });

  it('drops exists beside a test that needs a value', () => {
    for (const test of ['= 1', '= "x"', '= false', 'in (1, "x")', '> 5', '<= 5', '> ""', '>= "a"', 'contains "a"']) {
      expect(after(dropRedundant, `user.a exists and user.a ${test}`), test).to.equal(`user.a ${test}`);
    }
  });

  it('keeps exists beside what "" passes too, and under or', () => {
    for (const test of ['= ""', 'in (1, "")', '< "a"', '>= ""', 'contains ""', '~ "x*"']) {
      expect(after(dropRedundant, `user.a exists and user.a ${test}`), test).to.equal(
        `user.a exists and user.a ${test}`,
      );
    }
    expect(after(dropRedundant, 'user.a exists or user.a = 1')).to.equal('user.a exists or user.a = 1');
    expect(after(dropRedundant, 'user.a exists and user.a != 1')).to.equal('user.a exists and not user.a = 1');
  });
});

describe('find-contradictions', () => {
  it('knows what cannot be, and what always is', () => {
    expect(after(findContradictions, 'user.a = "x" and user.a = "y"')).to.equal('false');
    expect(after(findContradictions, 'user.a = 1 and user.b = 2 and user.a = 2')).to.equal('false');
    expect(after(findContradictions, 'user.a = true and user.a = false')).to.equal('false');
    expect(after(findContradictions, 'user.a ~ "x" and user.a !~ "x"')).to.equal('false');
    expect(after(findContradictions, 'user.a exists or user.a not exists')).to.equal('true');
  });

  it('leaves what one value can be at once', () => {
    for (const condition of ['user.a = 42 and user.a = "42.0"', 'user.a = true and user.a = 1']) {
      expect(after(findContradictions, condition)).to.equal(condition);
    }
  });
});

describe('fold-constants', () => {
  const always: Condition = { kind: 'constant', value: true };
  const never: Condition = { kind: 'constant', value: false };
  const open: Condition = { kind: 'test', field: { kind: 'profile', path: 'a' }, test: { op: 'exists' } };
  const fold = (where: Condition): string => whereOf(foldConstants.run(aggregate({ where })));

  it('decides and drops constants', () => {
    expect(fold({ kind: 'and', terms: [open, always] })).to.equal('user.a exists');
    expect(fold({ kind: 'and', terms: [open, never] })).to.equal('false');
    expect(fold({ kind: 'or', terms: [open, never] })).to.equal('user.a exists');
    expect(fold({ kind: 'or', terms: [never, never] })).to.equal('false');
    expect(fold({ kind: 'not', term: { kind: 'or', terms: [open, always] } })).to.equal('false');
  });

  it('leaves no condition that is always true', () => {
    expect(fold({ kind: 'not', term: never })).to.equal('none');
    expect(foldConstants.run(bound('* | latest user.a')).where).to.equal(null);
    const funnel = foldConstants.run(foldEventType.run(bound('funnel a[event_type = "a"] -> b')));
    expect(funnel).to.have.nested.property('steps[0].where', null);
  });
});

describe('the optimizer', () => {
  it('runs its passes in the order of the list', () => {
    const results = optimize(bound('* | where event_type = "a" and (user.b = 1 or user.b = 2)'));
    expect(results.map(({ name }) => name)).to.deep.equal(PASSES.map(({ name }) => name));
    const last = results[results.length - 1]?.plan;
    expect(last).to.include({ event: 'a' });
    expect(last === undefined ? '' : whereOf(last)).to.equal('user.b in (1, 2)');
  });

  const fields: readonly Field[] = [
    { kind: 'core', name: 'event_type' },
    { kind: 'event', path: 'a' },
    { kind: 'profile', path: 'a' },
  ];
  const texts = fc.constantFrom('', 'a', 'b', '1', '1.0', 'true', '0');
  const literal: fc.Arbitrary<PlanLiteral> = fc.oneof(
    texts.map((value) => ({ type: 'string' as const, value })),
    fc.constantFrom(0, 1, 2).map((value) => ({ type: 'number' as const, value })),
    fc.boolean().map((value) => ({ type: 'boolean' as const, value })),
  );
  const comparable = literal.filter(({ type }) => type !== 'boolean');
  const test: fc.Arbitrary<Test> = fc.oneof(
    fc.constant<Test>({ op: 'exists' }),
    literal.map((of): Test => ({ op: 'equals', literal: of })),
    fc.array(literal, { minLength: 1, maxLength: 3 }).map((literals): Test => ({ op: 'in', literals })),
    fc
      .tuple(fc.constantFrom('>' as const, '>=' as const, '<' as const, '<=' as const), comparable)
      .map(([sign, of]): Test => ({ op: 'compare', sign, literal: of })),
    texts.map((text): Test => ({ op: 'contains', text })),
    fc.constantFrom('^a', '', '1').map((pattern): Test => ({ op: 'matches', pattern })),
  );
  const { condition } = fc.letrec<{ condition: Condition }>((tie) => ({
    condition: fc.oneof(
      { maxDepth: 4, depthSize: 'medium' },
      fc.tuple(fc.constantFrom(...fields), test).map(([field, of]): Condition => ({ kind: 'test', field, test: of })),
      tie('condition').map((term): Condition => ({ kind: 'not', term })),
      fc
        .tuple(
          fc.constantFrom('and' as const, 'or' as const),
          fc.array(tie('condition'), { minLength: 1, maxLength: 4 }),
        )
        .map(([kind, terms]): Condition => ({ kind, terms })),
    ),
  }));
  const value: fc.Arbitrary<Value> = fc.oneof(
    fc.constant(null),
    fc.constantFrom(0, 1, 2),
    texts.map((text) => ({ type: 'string' as const, text })),
    fc.constantFrom('true', 'false').map((text) => ({ type: 'boolean' as const, text })),
  );
  const name = fc.constantFrom('a', 'b', '1', '1.0');
  const row = fc.tuple(name, value, value);

  type Row = readonly [string, Value, Value];

  function holds(where: Condition, values: Row): boolean {
    switch (where.kind) {
      case 'and':
        return where.terms.every((term) => holds(term, values));
      case 'or':
        return where.terms.some((term) => holds(term, values));
      case 'not':
        return !holds(where.term, values);
      case 'constant':
        return where.value;
      case 'test': {
        const index = fields.findIndex((field) => fieldKey(field) === fieldKey(where.field));
        const of = values[index] ?? null;
        return compileTest(where.test)(typeof of === 'string' ? { type: 'string', text: of } : of);
      }
    }
  }

  function selects(plan: Plan, values: Row): boolean {
    const event = eventOf(plan);
    return (event === null || event === values[0]) && (plan.where === null || holds(plan.where, values));
  }

  it('never changes which rows a plan selects', () => {
    fc.assert(
      fc.property(condition, fc.option(name), fc.array(row, { minLength: 5, maxLength: 20 }), (where, event, rows) => {
        const plan: AggregatePlan = aggregate({ event, where });
        for (const { name: pass, plan: changed } of optimize(plan)) {
          for (const values of rows) {
            expect(selects(changed, values), pass).to.equal(selects(plan, values));
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
