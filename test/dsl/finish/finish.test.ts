import { expect } from 'chai';
import fc from 'fast-check';
import { columnsOf } from '../../../lib/dsl/plan/columns.ts';
import { finishPage, finishTable, rowsNeeded } from '../../../lib/dsl/finish/finish.ts';
import type { Field, Plan } from '../../../lib/dsl/plan/plan.ts';
import type { Cell } from '../../../lib/dsl/plan/table.ts';
import { aggregate, base, byField, byTime, count, DAY, JANUARY, property, sum } from '../plans.ts';

const window = { count: 30, unit: 'd' } as const;
const distinctId: Field = { kind: 'core', name: 'distinct_id' };

function rows(plan: Plan, given: Cell[][]): readonly (readonly Cell[])[] {
  return finishTable(plan, columnsOf(plan), given).rows;
}

const retention = {
  ...({ kind: 'retention', event: 'a', returning: null, unit: 'day', groups: [] } as const),
  ...{ first: false, periods: null, unbounded: false, metrics: [], cumulative: false },
};

const funnelOf = {
  ...({ kind: 'funnel', steps: [], exclude: [], stepOrder: 'given' } as const),
  ...{ same: null, unit: null, times: [] },
};

describe('finishTable: default order', () => {
  it('is buckets, then the first metric descending, then the other groups, missing last', () => {
    const plan = aggregate({ groups: [byField('a'), byTime('day'), byField('b')] });
    const given = [
      ['x', '2026-01-02', null, 1],
      ['x', '2026-01-01', 'b', 1],
      [null, '2026-01-01', 'a', 1],
      ['x', '2026-01-01', null, 1],
      ['y', '2026-01-01', 'a', 7],
      ['\u{1F600}', '2026-01-01', 'a', 1],
      ['\uFFFD', '2026-01-01', 'a', 1],
    ];
    expect(rows(plan, given)).to.deep.equal([
      ['y', '2026-01-01', 'a', 7],
      ['x', '2026-01-01', 'b', 1],
      ['x', '2026-01-01', null, 1],
      ['\uFFFD', '2026-01-01', 'a', 1],
      ['\u{1F600}', '2026-01-01', 'a', 1],
      [null, '2026-01-01', 'a', 1],
      ['x', '2026-01-02', null, 1],
    ]);
  });

  it('puts a missing metric last', () => {
    const plan = aggregate({ groups: [byField('a')], metrics: [sum('x')] });
    expect(rows(plan, [['a', null], ['b', -1], ['c', 2]])).to.deep.equal([['c', 2], ['b', -1], ['a', null]]); // prettier-ignore
  });

  it('has hours in the order of time where the clock was set back', () => {
    const autumn = Date.UTC(2026, 9, 25);
    const plan = aggregate({
      zone: 'Europe/Berlin',
      range: { from: autumn, to: autumn + 3 * 3_600_000 },
      groups: [byTime('hour'), byField('a')],
    });
    const hours = ['2026-10-25T03:00:00+01:00', '2026-10-25T02:00:00+01:00', '2026-10-25T02:00:00+02:00'];
    const ordered = rows(
      plan,
      hours.map((hour) => [hour, 'x', 1]),
    );
    expect(ordered.map((row) => row[0])).to.deep.equal(hours.toReversed());
  });

  it('keeps the rows of list as they come', () => {
    const plan: Plan = { ...base, kind: 'list', event: null, person: null };
    expect(rows(plan, [[3, 'b'], [3, 'a'], [1, 'c']])).to.deep.equal([[3, 'b'], [3, 'a'], [1, 'c']]); // prettier-ignore
  });

  it('has latest and users by their times, newest first, then by id', () => {
    const latest: Plan = {
      ...base,
      kind: 'latest',
      event: null,
      person: null,
      field: property('p'),
      entity: distinctId,
      asOf: null,
      whereRows: null,
      groups: [],
      metrics: [],
    };
    expect(rows(latest, [['b', 1, 5], ['a', 'x', 5], ['c', 2, 9]])).to.deep.equal([['c', 2, 9], ['a', 'x', 5], ['b', 1, 5]]); // prettier-ignore
    const users: Plan = { ...base, kind: 'users', groups: [], metrics: [] };
    const user = (id: string, seen: number): Cell[] => [id, null, null, 0, seen, {}];
    expect(rows(users, [user('b', 1), user('c', 2), user('a', 1)]).map((row) => row[0])).to.deep.equal(['c', 'a', 'b']);
  });

  it('keeps the steps of a funnel together, groups by users of step 1', () => {
    const plan: Plan = {
      ...base,
      ...funnelOf,
      steps: [
        { events: ['a'], where: null },
        { events: ['b'], where: null },
      ],
      window,
      groups: [byField('plan')],
    };
    const step = (group: string | null, at: number, users: number): Cell[] => [group, at, 'e', users, 1, 1, null];
    const given = [
      step('few', 2, 1),
      step('few', 1, 3),
      step('many', 2, 0),
      step('many', 1, 9),
      step(null, 1, 3),
      step(null, 2, 3),
      step('also few', 1, 3),
      step('also few', 2, 0),
    ];
    expect(rows(plan, given).map((row) => [row[0], row[1]])).to.deep.equal([
      ...[['many', 1], ['many', 2], ['also few', 1], ['also few', 2]],
      ...[['few', 1], ['few', 2], [null, 1], [null, 2]],
    ]); // prettier-ignore
  });

  it('has retention by cohort, then users descending, then the field', () => {
    const plan: Plan = { ...base, ...retention, groups: [byField('p')] };
    const cohort = (group: string, day: string, users: number): Cell[] => [group, day, users, users, 0, 0];
    const given = [cohort('x', '2026-01-02', 9), cohort('b', '2026-01-01', 1), cohort('a', '2026-01-01', 1), cohort('c', '2026-01-01', 2)]; // prettier-ignore
    expect(rows(plan, given).map((row) => row[0])).to.deep.equal(['c', 'a', 'b', 'x']);
  });

  it('has paths by persons, ties by text', () => {
    const plan: Plan = { ...base, kind: 'paths', direction: 'from', event: 'a', window, depth: 5, label: distinctId };
    const given: Cell[][] = [[['b'], 1, 0.1], [['a', 'c'], 1, 0.1], [[null], 1, 0.1], [['z'], 5, 0.5]]; // prettier-ignore
    expect(rows(plan, given).map((row) => row[0])).to.deep.equal([['z'], [null], ['a', 'c'], ['b']]);
  });

  it('has choice results with control first, stickiness by days, inspect by count or coverage', () => {
    const choice: Plan = {
      ...base,
      kind: 'choice',
      choice: 'k',
      conversion: 'a',
      unit: distinctId,
      window,
      metrics: [],
      groups: [],
    };
    const variant = (name: string): Cell[] => [name, 1, 1, 1, null, 0, 1, null, null];
    expect(rows(choice, ['b', 'a', 'control', 'B'].map(variant)).map((row) => row[0])).to.deep.equal([
      ...['control', 'B', 'a', 'b'],
    ]);
    expect(rows({ ...base, kind: 'stickiness', event: null }, [[10, 1, 1], [2, 5, 1]])).to.deep.equal([[2, 5, 1], [10, 1, 1]]); // prettier-ignore
    const seen = (name: string, n: number): Cell[] => [name, n, 0, 0, 0, 0];
    expect(rows({ ...base, kind: 'inspect', event: null }, [seen('b', 1), seen('a', 1), seen('c', 2)]).map((row) => row[0])).to.deep.equal(['c', 'a', 'b']); // prettier-ignore
    const field = (name: string, coverage: number): Cell[] => [name, 'core', 'string', 1, coverage];
    expect(rows({ ...base, kind: 'fields' }, [field('b', 0.5), field('a', 0.5), field('c', 1)]).map((row) => row[0])).to.deep.equal(['c', 'a', 'b']); // prettier-ignore
  });
});

describe('finishTable: sort and top', () => {
  const groups = [byField('a')];
  const given = [['x', 1], ['y', 3], ['z', null], [null, 2], ['w', 3]]; // prettier-ignore

  it('sorts by a column, missing last both ways, ties in default order', () => {
    const by = (column: number, descending: boolean): unknown[] =>
      rows(aggregate({ groups, metrics: [sum('s')], order: { kind: 'sort', column, descending } }), given).map(
        (row) => row[0],
      );
    expect(by(1, false)).to.deep.equal(['x', null, 'w', 'y', 'z']);
    expect(by(1, true)).to.deep.equal(['w', 'y', null, 'x', 'z']);
    expect(by(0, false)).to.deep.equal(['w', 'x', 'y', 'z', null]);
    expect(by(0, true)).to.deep.equal(['z', 'y', 'x', 'w', null]);
  });

  it('sorts list by a column and keeps its order in ties', () => {
    const plan: Plan = {
      ...base,
      kind: 'list',
      event: null,
      person: null,
      order: { kind: 'sort', column: 1, descending: false },
    };
    expect(rows(plan, [[9, 'b'], [8, 'a'], [7, 'b'], [6, 'a']])).to.deep.equal([[8, 'a'], [6, 'a'], [9, 'b'], [7, 'b']]); // prettier-ignore
  });

  it('sorts mixed values with numbers first, then by text', () => {
    const plan: Plan = {
      ...base,
      kind: 'list',
      event: null,
      person: null,
      order: { kind: 'sort', column: 0, descending: false },
    };
    expect(rows(plan, [['1a'], [10], [true], [2], [null], [{ a: 1 }]])).to.deep.equal([[2], [10], ['1a'], [true], [{ a: 1 }], [null]]); // prettier-ignore
  });

  it('takes top by the first metric descending, then all groups ascending, buckets too', () => {
    const plan = aggregate({ groups: [byField('a'), byTime('day')], order: { kind: 'top' }, limit: 3 });
    const dated = [['b', '2026-01-01', 1], ['a', '2026-01-02', 5], ['a', '2026-01-01', 1], ['b', '2026-01-03', 9]]; // prettier-ignore
    expect(rows(plan, dated)).to.deep.equal([
      ['b', '2026-01-03', 9],
      ['a', '2026-01-02', 5],
      ['a', '2026-01-01', 1],
    ]);
  });
});

describe('finishTable: cuts', () => {
  const given = Array.from({ length: 10 }, (_, i): Cell[] => [`g${i}`, 10 - i]);
  const groups = [byField('a')];

  it('skips, limits, then cuts the page; total counts before the page', () => {
    const plan = aggregate({ groups, offset: 2, limit: 6, page: { offset: 1, limit: 3 } });
    const table = finishTable(plan, columnsOf(plan), given);
    expect(table.rows.map((row) => row[0])).to.deep.equal(['g3', 'g4', 'g5']);
    expect(table.total).to.equal(6);
  });

  it('has no rows past the end', () => {
    const past = aggregate({ groups, offset: 20 });
    expect(finishTable(past, columnsOf(past), given)).to.deep.include({ rows: [], total: 0 });
    const pagePast = aggregate({ groups, limit: 2, page: { offset: 5, limit: 3 } });
    expect(finishTable(pagePast, columnsOf(pagePast), given)).to.deep.include({ rows: [], total: 2 });
  });

  it('equals sorting everything, whatever is cut', () => {
    const cell = fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { freq: 4 });
    const row = fc.tuple(cell, fc.option(fc.integer({ min: 0, max: 5 })), cell);
    const order = fc.constantFrom<Plan['order']>(
      { kind: 'default' },
      { kind: 'top' },
      { kind: 'sort', column: 1, descending: true },
      { kind: 'sort', column: 0, descending: false },
    );
    const cut = fc.record({ offset: fc.nat(9), limit: fc.option(fc.integer({ min: 1, max: 20 })) });
    const page = fc.record({ offset: fc.nat(9), limit: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 300 }), order, cut, page, (cells, by, stages, shown) => {
        const all = cells.map(([a, n, b]): Cell[] => [a, b, n]);
        const two = [byField('a'), byField('b')];
        const whole = aggregate({ groups: two, metrics: [sum('s')], order: by, page: { offset: 0, limit: 1_000 } });
        const sorted = rows(whole, all);
        const plan = { ...whole, ...stages, page: shown };
        const kept = sorted.slice(stages.offset, stages.limit === null ? undefined : stages.offset + stages.limit);
        const table = finishTable(plan, columnsOf(plan), all);
        expect(table.rows).to.deep.equal(kept.slice(shown.offset, shown.offset + shown.limit));
        expect(table.total).to.equal(kept.length);
        const first = sorted.slice(0, rowsNeeded(plan));
        expect(finishPage(plan, columnsOf(plan), first, all.length)).to.deep.equal(table);
      }),
    );
  });
});

describe('finishTable: stages on all rows', () => {
  const groups = [byField('a')];
  const given = Array.from({ length: 1_000 }, (_, i): Cell[] => [`g${i}`, i]);
  const above = (least: number) =>
    ({
      kind: 'test',
      field: 1,
      test: { op: 'compare', sign: '>=', literal: { type: 'number', value: least } },
    }) as const;

  it('tests a condition of hundreds of terms, and counts what is left before the page is cut', () => {
    const terms = Array.from({ length: 500 }, (_, n) => above(n));
    const plan = aggregate({ groups, tableStages: [{ kind: 'having', condition: { kind: 'and', terms } }] });
    const table = finishTable(plan, columnsOf(plan), given);
    expect(table.total).to.equal(501);
    expect(table.rows).to.have.length(100);
    expect(rowsNeeded(plan)).to.equal(Infinity);
  });

  it('gives shares of all rows, those that are left out too', () => {
    const tableStages = [
      { kind: 'share', metric: 1 },
      { kind: 'having', condition: above(999) },
    ] as const;
    const plan = aggregate({ groups, tableStages });
    expect(finishTable(plan, columnsOf(plan), given).rows).to.deep.equal([['g999', 999, 0.002]]);
  });
});

describe('finishTable: filling', () => {
  it('has a row for every bucket that is the only group: counts 0, others null', () => {
    const plan = aggregate({ groups: [byTime('day')], metrics: [count, sum('x')] });
    expect(rows(plan, [['2026-01-02', 3, 4.5]])).to.deep.equal([
      ['2026-01-01', 0, null],
      ['2026-01-02', 3, 4.5],
      ['2026-01-03', 0, null],
    ]);
  });

  it('fills the cut buckets at both ends', () => {
    const plan = aggregate({ groups: [byTime('day')], range: { from: JANUARY + 1, to: JANUARY + DAY + 1 } });
    expect(rows(plan, [])).to.deep.equal([
      ['2026-01-01', 0],
      ['2026-01-02', 0],
    ]);
  });

  it('has only existing rows with more groups', () => {
    const plan = aggregate({ groups: [byTime('day'), byField('a')] });
    expect(rows(plan, [['2026-01-02', 'x', 3]])).to.deep.equal([['2026-01-02', 'x', 3]]);
    expect(rows(plan, [])).to.deep.equal([]);
  });

  it('fills sessions, lifecycle and formula', () => {
    const sessions: Plan = { ...base, kind: 'sessions', whereRows: null, groups: [byTime('week')], metrics: [] };
    expect(rows(sessions, [])).to.deep.equal([['2025-12-29', 0, null, null, null]]);
    const lifecycle: Plan = { ...base, kind: 'lifecycle', event: 'a', unit: 'month', column: 'month' };
    expect(rows(lifecycle, [])).to.deep.equal([['2026-01-01', 0, 0, 0, 0]]);
    const formula: Plan = {
      ...base,
      kind: 'formula',
      groups: [byTime('month')],
      operands: [
        { event: 'a', metric: { kind: 'count', column: 'count(a)' } },
        { event: 'a', metric: sum('x') },
      ],
      expression: {
        kind: 'binary',
        op: '+',
        left: { kind: 'operand', index: 0 },
        right: { kind: 'number', value: 1 },
      },
    };
    expect(rows(formula, [])).to.deep.equal([['2026-01-01', 0, null, 1]]);
    expect(rows({ ...formula, expression: { kind: 'operand', index: 1 } }, [])).to.deep.equal([['2026-01-01', 0, null, null]]); // prettier-ignore
  });

  it('fills cohorts of nobody, with null for periods past the range', () => {
    const plan: Plan = { ...base, ...retention };
    expect(rows(plan, [['2026-01-02', 4, 4, 1, null]])).to.deep.equal([
      ['2026-01-01', 0, 0, 0, 0],
      ['2026-01-02', 4, 4, 1, null],
      ['2026-01-03', 0, 0, null, null],
    ]);
    expect(rows({ ...plan, groups: [byField('p')] }, [])).to.deep.equal([]);
  });

  it('does not fill latest and funnel', () => {
    const latest: Plan = {
      ...base,
      kind: 'latest',
      event: null,
      person: null,
      field: property('p'),
      entity: distinctId,
      asOf: null,
      whereRows: null,
      groups: [byTime('day')],
      metrics: [count],
    };
    expect(rows(latest, [])).to.deep.equal([]);
    const funnel: Plan = { ...base, ...funnelOf, window, groups: [byTime('day')] };
    expect(rows(funnel, [])).to.deep.equal([]);
  });

  it('has exactly one row of no rows without groups', () => {
    expect(rows(aggregate({ metrics: [count, sum('x')] }), [])).to.deep.equal([[0, null]]);
    expect(rows({ ...base, kind: 'users', groups: [], metrics: [count] }, [])).to.deep.equal([[0]]);
    const sessions: Plan = { ...base, kind: 'sessions', whereRows: null, groups: [], metrics: [sum('x')] };
    expect(rows(sessions, [])).to.deep.equal([[null]]);
    expect(rows({ ...base, kind: 'list', event: null, person: null }, [])).to.deep.equal([]);
    expect(rows({ ...base, kind: 'users', groups: [], metrics: [] }, [])).to.deep.equal([]);
  });

  it('has all steps of a funnel of nobody', () => {
    const steps = [
      { events: ['a'], where: null },
      { events: [null], where: null },
    ];
    expect(rows({ ...base, ...funnelOf, steps, window, groups: [] }, [])).to.deep.equal([
      [1, 'a', 0, null, null, null],
      [2, '*', 0, null, null, null],
    ]);
  });
});
