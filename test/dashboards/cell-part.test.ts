import { expect } from 'chai';
import { cellPart } from '../../console/cell-part.ts';
import { cardYaml, queriesText } from '../../console/dashboard/card-source.ts';
import type { EnvelopeColumn } from '../../lib/dashboards/data.ts';

const RANGE = { from: '2026-03-04T10:00:00.000Z', to: '2026-03-20T10:00:00.000Z', timezone: 'UTC' };

const column = (name: string, role: EnvelopeColumn['role'], type: EnvelopeColumn['type'] = 'number'): EnvelopeColumn => ({ name, role, type }); // prettier-ignore

describe('the part of an answer that a cell is of', () => {
  it('is the groups of its row, the metric, and the time of its bucket within the range', () => {
    const answer = { range: RANGE, column_types: [column('day', 'bucket', 'string'), column('_os', 'group', 'string'), column('count', 'metric')] }; // prettier-ignore
    const row = { day: '2026-03-05', _os: null, count: 3 };
    expect(cellPart('events', answer, row, 'count')).to.deep.equal({ chosen: { day: '2026-03-05', _os: null }, metric: 'count', range: { from: '2026-03-05', to: '2026-03-06' } }); // prettier-ignore
    const cut = { ...row, day: '2026-03-04' };
    expect(cellPart('user', answer, cut, 'count')?.range).to.include({ from: RANGE.from, to: '2026-03-05' });
    expect(cellPart('user', answer, { ...row, day: '2026-03-20' }, 'count')?.range).to.include({ from: '2026-03-20', to: RANGE.to }); // prettier-ignore
  });

  it('is none of groups, of what others are compared with, and of nobody', () => {
    const columns = [column('_os', 'group', 'string'), column('count', 'metric'), column('share', 'metric', 'ratio'), column('count_previous', 'metric')]; // prettier-ignore
    const answer = { range: RANGE, column_types: columns };
    const row = { _os: 'x', count: 0, share: 0.5, count_previous: 3 };
    for (const { name } of columns) expect(cellPart('events', answer, row, name), name).to.equal(null);
  });

  it('is a step, a period, a state, a number of days, a path, or who converted', () => {
    const of = (source: Parameters<typeof cellPart>[0], columns: EnvelopeColumn[], row: Record<string, unknown>, name: string) => cellPart(source, { range: RANGE, column_types: columns }, row, name); // prettier-ignore
    const users = column('users', 'metric');
    expect(of('funnel', [column('_os', 'group'), column('step', 'group'), users], { _os: 'x', step: 2, users: 4 }, 'users')).to.deep.equal({ which: 'reached 2', chosen: { _os: 'x' } });
    expect(of('retention', [column('cohort', 'bucket', 'string'), users, column('week_1', 'period')], { cohort: '2026-03-02', users: 5, week_1: 2 }, 'week_1')).to.deep.equal({ which: 'returned 1', chosen: { cohort: '2026-03-02' } });
    expect(of('stickiness', [column('days', 'group'), users], { days: 3, users: 2 }, 'users')).to.deep.equal({ which: '3' });
    expect(of('paths', [column('path', 'group', 'json'), users], { path: ['a', null, 'b'], users: 2 }, 'users')).to.deep.equal({ paths: ['a -> (none) -> b'] });
    expect(of('choice', [column('variant', 'group', 'string'), users, column('conversions', 'metric')], { variant: 'b', users: 4, conversions: 1 }, 'conversions')).to.deep.equal({ chosen: { variant: 'b', converted: true } });
    const states = [column('week', 'bucket', 'string'), column('new', 'metric')];
    expect(of('lifecycle', states, { week: '2026-03-09', new: 2 }, 'new')).to.deep.equal({ which: 'new', range: { from: '2026-03-09', to: '2026-03-16' } });
    expect(of('lifecycle', states, { week: '2026-03-16', new: 2 }, 'new'), 'the range cuts it').to.equal(null);
  }); // prettier-ignore
});

describe('the source of a card', () => {
  const YAML = `version: 1
title: one
sections:
  - title: Now
    cards:
      # the first
      - { id: one, kind: metric, query: a | count }
      - kind: table
        id: two
        query: |
          b
          | count

      - kind: metric
        title: "Three"
        query: c | count
  - cards:
      - id: four
        kind: metric
        query: d | count`;

  it('shows the lines of the file that are about the card', () => {
    const source = (id: string, title: string | null = null): string => cardYaml(YAML, { id, title });
    expect(source('one')).to.equal('- { id: one, kind: metric, query: a | count }');
    expect(source('two')).to.equal('- kind: table\n  id: two\n  query: |\n    b\n    | count');
    expect(source('card-3', 'Three')).to.equal('- kind: metric\n  title: "Three"\n  query: c | count');
    expect(source('four')).to.equal('- id: four\n  kind: metric\n  query: d | count');
    expect(source('card-9'), 'all of it where the card cannot be told').to.equal(YAML);
  });

  it('copies one query as it is, and several under their names', () => {
    expect(queriesText([{ name: 'query', q: 'a | count' }])).to.equal('a | count');
    expect(queriesText([{ name: 'x', q: 'a' }, { name: 'y', q: 'b' }])).to.equal('# x\na\n\n# y\nb'); // prettier-ignore
  });
});
