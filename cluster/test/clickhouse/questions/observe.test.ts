import { expect } from 'chai';
import { notedUses, notProven } from '../../../lib/clickhouse/questions/observe.ts';
import { compileQuery } from '../../../../lib/dsl/compile.ts';
import { fieldName } from '../../../../lib/dsl/plan/fields.ts';
import type { Cell } from '../../../../lib/dsl/plan/table.ts';

const CONTEXT = { now: Date.UTC(2026, 2, 1), timezone: { project: 'UTC' }, limit: 100, offset: 0, earliest: 0 };

/** What is still looked for after an answer with these rows; `ep.` is an event's property. */
function left(q: string, rows: readonly (readonly Cell[])[]): readonly string[] {
  const { plan } = compileQuery(q.replaceAll('ep.', 'event_properties.'), CONTEXT);
  if (plan.kind !== 'aggregate') throw new Error('not of this kind');
  const { events, fields } = notProven(plan, notedUses(plan), rows);
  return [...events, ...fields.map((field) => fieldName(field).replace('event_properties.', 'ep.'))];
}

describe('what an answer shows already', () => {
  it('is nothing where it has no rows, or counts nothing', () => {
    expect(left('e | count by ep.a', [])).to.deep.equal(['e', 'ep.a']);
    expect(left('e | where ep.a = "x" | count', [[0]])).to.deep.equal(['e', 'ep.a']);
    expect(left('e | sum ep.a', [[null]])).to.deep.equal(['e', 'ep.a']);
  });

  it('is the event, where something is counted, or has a value', () => {
    expect(left('e | count', [[1]])).to.deep.equal([]);
    expect(left('e | count by day', [[null, 0]])).to.deep.equal([]);
    expect(left('e | sum ep.a, count', [[null, 2]])).to.deep.equal(['ep.a']);
    expect(left('e | sum ep.a', [[3]])).to.deep.equal([]);
    expect(left('e | unique ep.a', [[0]])).to.deep.equal(['e', 'ep.a']);
  });

  it('is nothing in windows, which begin before the range', () => {
    expect(left('e | sum ep.a by day | rolling 7d | last 2d', [[0, 5]])).to.deep.equal(['e', 'ep.a']);
  });

  it('is a field by which rows are told apart, where one has a value', () => {
    expect(left('e | count by ep.a, ep.b', [['x', null, 1], [null, null, 2]])).to.deep.equal(['ep.b']); // prettier-ignore
  });

  it('is a field that a condition needs, in each of its alternatives', () => {
    expect(left('e | where ep.a = "x" and ep.b > 2 | count', [[1]])).to.deep.equal([]);
    expect(left('e | where ep.a exists or ep.b > 2 | count', [[1]])).to.deep.equal(['ep.a', 'ep.b']);
    expect(left('e | where (ep.a = "x" and ep.b > 2) or ep.b ~ "y" | count', [[1]])).to.deep.equal(['ep.a']);
    expect(left('e | where ep.a != "x" and ep.b not exists | count', [[1]])).to.deep.equal(['ep.a', 'ep.b']);
  });
});
