import { expect } from 'chai';
import { columnsOf } from '../../../lib/dsl/plan/columns.ts';
import { expectError, planAs, planOf } from '../queries.ts';

/** A stage of each kind. */
const STAGE: Readonly<Record<string, string>> = {
  where: 'where user.x = 1',
  range: 'last 3d',
  tz: 'tz "Europe/Berlin"',
  limit: 'limit 5',
  offset: 'offset 2',
  metrics: 'count',
  by: 'by user.plan',
  list: 'list',
  latest: 'latest event_properties.x',
  sort: 'sort count',
  top: 'top 5',
  window: 'window 2h',
  depth: 'depth 3',
  results: 'results buy',
  unit: 'unit device_id',
  having: 'having count > 1',
  share: 'share',
  compare: 'compare previous',
  periods: 'periods 5',
  unbounded: 'unbounded',
  cumulative: 'cumulative',
  rolling: 'rolling 7d',
  weeks: 'weeks from sunday',
  order: 'order strict',
  same: 'same session_id',
  asOf: 'as of each month',
  model: 'model first',
  withBots: 'with bots',
};

const ALL = ['where', 'range', 'tz', 'weeks', 'withBots', 'limit', 'offset', 'having'];
const ROLLED = ['rolling', 'cumulative'];
const TAKEN: Readonly<Record<string, readonly string[]>> = {
  signup: [...ALL, ...ROLLED, 'metrics', 'by', 'list', 'latest', 'asOf', 'sort', 'top', 'share', 'compare'],
  '*': [...ALL, ...ROLLED, 'metrics', 'by', 'list', 'latest', 'asOf', 'sort', 'top', 'share', 'compare'],
  'user "u"': [...ALL, ...ROLLED, 'metrics', 'by', 'list', 'latest', 'asOf', 'sort', 'top', 'share'],
  users: [...ALL, ...ROLLED, 'metrics', 'by', 'list', 'sort', 'top', 'share', 'compare'],
  sessions: [...ALL, ...ROLLED, 'metrics', 'by', 'sort', 'top', 'share', 'compare'],
  'funnel a -> b': [...ALL, 'by', 'window', 'order', 'same', 'unit', 'metrics', 'compare'],
  'retention a': [...ALL, 'by', 'periods', 'unbounded', 'metrics', 'cumulative'],
  'paths from a': [...ALL, 'by', 'window', 'depth', 'top'],
  'lifecycle a': [...ALL, 'by', 'compare'],
  'formula count(a)': [...ALL, ...ROLLED, 'by', 'sort', 'compare'],
  'choice k': [...ALL, 'metrics', 'by', 'sort', 'top', 'results', 'share', 'compare'],
  'choice k | results b': [...ALL, 'by', 'sort', 'top', 'unit', 'window'],
  'choice k | results sum event_properties.n': [...ALL, 'by', 'sort', 'top', 'unit', 'window'],
  'attribution a | by user.plan': [...ALL, 'metrics', 'sort', 'top', 'window', 'model'],
  'stickiness a': ALL,
  fields: ALL,
  inspect: [...ALL, 'share'],
  'inspect a': ALL,
};

/** What is said where a source takes a stage, but this answer does not. */
const WHY: Readonly<Record<string, string>> = {
  'share paths from a': 'has a column `share` already',
  'share stickiness a': 'has a column `share` already',
  'share inspect a': '`coverage` does not add up to a whole',
  'share choice k | results b': '`users` does not add up to a whole',
  'share choice k | results sum event_properties.n': '`users` does not add up to a whole',
  'compare choice k | results b': '`results` compares variants',
  'compare choice k | results sum event_properties.n': '`results` compares variants',
  'by attribution a | by user.plan': 'expected the groups once',
};

/** Puts the stage into a query around which it is valid. */
function fit(source: string, kind: string): string {
  if ((kind === 'top' || kind === 'sort') && /^(signup|\*|user)/.test(source)) {
    return `${source} | count | ${STAGE[kind]}`;
  }
  if (kind === 'by' && /^(lifecycle|formula)/.test(source)) {
    return `${source} | by day`;
  }
  if ((kind === 'share' || kind === 'compare') && /^(signup|\*|user|choice)/.test(source)) {
    return `${source} | count | ${STAGE[kind]}`;
  }
  if (kind === 'having') return `${source} | having ${columnsOf(planOf(source))[0]?.name ?? ''} exists`;
  if (kind === 'sort') {
    const column = {
      attribution: 'conversions',
      sessions: 'sessions',
      formula: 'value',
      choice: source.includes('results') ? 'lift' : 'count',
    };
    const found = Object.entries(column).find(([word]) => source.startsWith(word));
    return `${source} | sort ${found?.[1] ?? 'user_id'}`;
  }
  if (kind === 'metrics' && source.startsWith('funnel')) return `${source} | avg`;
  if (kind === 'metrics' && source.startsWith('attribution')) return `${source} | sum event_properties.x`;
  if (kind === 'asOf') return `${source} | latest event_properties.x | as of each month`;
  if (kind === 'cumulative' && source.startsWith('retention')) return `${source} | count | cumulative`;
  if (kind === 'rolling' || kind === 'cumulative') {
    return `${source} | ${source.startsWith('formula') ? '' : 'count '}by day | ${STAGE[kind]}`;
  }
  return kind === 'top' && source === 'users' ? 'users | count | top 5' : `${source} | ${STAGE[kind]}`;
}

describe('stages', () => {
  for (const [source, taken] of Object.entries(TAKEN)) {
    it(`${source} takes ${taken.join(', ')}`, () => {
      for (const kind of taken) {
        expect(() => planOf(fit(source, kind)), kind).not.to.throw();
      }
    });

    const refused = Object.keys(STAGE).filter((kind) => !taken.includes(kind));
    it(`${source} refuses ${refused.join(', ')}`, () => {
      for (const kind of refused.filter((other) => !(source.includes('results') && other === 'results'))) {
        const isFixed = source.includes('results') && kind === 'metrics';
        const saying = isFixed
          ? 'fixed'
          : source === 'choice k' && /window|unit/.test(kind)
            ? 'results'
            : (WHY[`${kind} ${source}`] ?? 'does not take');
        expectError(`${source} | ▲${STAGE[kind]}`, saying);
      }
    });
  }

  it('lists what a source takes where it refuses a stage', () => {
    expectError(
      'stickiness a | ▲count',
      'expected one of: where, last, from, since, all, today, yesterday, this, tz, weeks, with bots, having, limit, offset',
    );
  });

  it('names the groups behind metrics that a source does not group', () => {
    expectError('stickiness a | ▲by day', 'does not take `by`');
    expectError('users | ▲latest user.x', '`users` does not take `latest`');
  });

  it('sets each thing once, with the error at the second', () => {
    expectError('* | last 3d | ▲today', 'expected the range once: `last` already sets it');
    expectError('* | from 2026-01-01 | ▲last 1d', 'the range once');
    expectError('* | count | ▲sum event_properties.x', 'the metrics once');
    expectError('* | list | ▲count', 'the metrics once');
    expectError('* | count | ▲list', 'the metrics once');
    expectError('* | count | ▲latest event_properties.x', 'the metrics once');
    expectError('* | latest event_properties.x | ▲latest event_properties.y', 'the metrics once');
    expectError('* | latest event_properties.x | ▲list', 'the metrics once');
    expectError('* | latest event_properties.x | count | ▲count', 'the metrics once');
    expectError('* | count by day | ▲by week', 'the groups once');
    expectError('* | by week | count ▲by day', 'the groups once');
    expectError('* | count | sort count | ▲top 3', 'the order once: `sort`');
    expectError('* | count | top 3 | ▲sort count', 'the order once: `top`');
    expectError('* | count | top 3 | ▲top 4', 'the order once');
    expectError('* | count | top 3 | ▲limit 4', 'the cut once: `top`');
    expectError('* | limit 3 | ▲limit 3', 'the cut once');
    expectError('* | count | limit 3 | ▲top 3', 'the cut once: `limit`');
    expectError('* | offset 3 | ▲offset 0', 'the offset once');
    expectError('paths from a | window 1d | ▲window 1d', 'the window once');
    expectError('paths from a | depth 2 | ▲depth 2', 'the depth once');
    expectError('* | tz "UTC" | ▲tz "UTC"', 'the time zone once');
    expectError('choice k | results a | ▲results b', 'the results once');
    expectError('choice k | results a | unit user_id | ▲unit user_id', 'the unit once');
  });

  it('joins several where with and', () => {
    expect(planOf('* | where user.a = 1 | where user.b = 2').where).to.deep.equal(
      planOf('* | where user.a = 1 and user.b = 2').where,
    );
  });

  it('means the same in any order of stages', () => {
    const stages = ['by day', 'last 3d', 'count', 'where user.a = 1', 'tz "Asia/Kathmandu"', 'sort count', 'limit 5'];
    const plan = planOf(`signup | ${stages.join(' | ')}`);
    expect(planOf(`signup | ${stages.toReversed().join(' | ')}`)).to.deep.equal(plan);
  });

  it('has no groups of a list', () => {
    expectError('* | list | ▲by day', '`list`');
    expectError('* | by day | ▲list', '`list`');
  });

  it('keeps window and unit for results', () => {
    expectError('choice k | ▲window 2d', 'expected `results` too');
    expectError('choice k | ▲unit device_id', 'expected `results` too');
    expect(planAs('choice', 'choice k | window 2d | results buy').window).to.deep.equal({ count: 2, unit: 'd' });
  });

  it('has no metrics beside results', () => {
    expectError('choice k | results a | ▲count', 'the columns of `results` are fixed');
    expectError('choice k | count by day | ▲results a', 'the columns of `results` are fixed');
    expectError('choice k | results a | by ▲each event_properties.tags', '`each` divides rows');
  });

  it('wants numbers that make sense', () => {
    for (const text of ['0', '-1', '1.5', '1e3', 'x', '"3"', '99999999999999999']) {
      expectError(`* | limit ▲${text}`, 'expected a whole number of at least 1');
      expectError(`* | count | top ▲${text}`, 'expected a whole number of at least 1');
    }
    expectError('* | limit▲', 'expected a whole number');
    expectError('* | offset ▲-1', 'expected a whole number of at least 0');
    expect(planOf('* | offset 0').offset).to.equal(0);
    expect(planOf('* | offset 3 | limit 007')).to.include({ offset: 3, limit: 7 });
    expectError('paths from a | depth ▲0', 'at least 1');
    expectError('paths from a | ▲depth 1001', 'at most 1000');
  });

  it('proposes a stage for a misspelt one', () => {
    expectError('* | ▲wher time exists', 'did you mean `where`?');
    expectError('* | ▲cuont', 'did you mean `count`?');
    expectError('* | ▲medain time', 'did you mean `median`?');
    expectError('* | ▲', 'expected a stage: where, last,');
    expectError('* |▲| count', 'expected a stage');
    expectError('* | ▲p0 time', 'percentiles are p1 to p99');
    expectError('* | ▲P100 time', 'percentiles are p1 to p99');
    expectError('* | count, ▲p100 time', 'percentiles are p1 to p99');
    expectError('* | ▲"count"', 'expected a stage');
    expectError('* | ▲filter time exists', 'conditions follow `where`');
    expectError('* | ▲group by day', '`| count by day`');
    expectError('* | ORDER ▲by count', '`| sort count desc`');
    expectError('* | ▲average time', '`avg`');
    expectError('* | last ▲week', 'did you mean `1w`?');
  });

  it('says how metrics are written to who calls them like functions, and that `where` does not see them', () => {
    expectError('* | count▲(*)', 'takes nothing');
    expectError('* | count▲(distinct user_id) by day', '`unique user_id` counts different values');
    expectError('* | count, avg (▲amount)', 'expected a field');
    expectError('* | unique▲(user_id + 1)', 'takes no arithmetic');
    expectError('* | count by event_type | where ▲count > 5', '`| having count > 5`');
  });

  it('points behind a stage at what does not belong to it', () => {
    expectError('* | list ▲all', 'expected `|`');
    expectError('* | list user_id ▲event_properties.city', 'expected `|`');
    expectError('* | since 7 ▲days ago | count', 'did you mean `last 7 days`?');
    expectError('* | since ▲7d | count', 'did you mean `last 7d`?');
    expectError('* | from ▲-2w to now | count', 'did you mean `last 2w`?');
    expectError('* | ▲percentile 95 event_properties.amount', '`| p95 event_properties.amount`');
    expectError('* | count ▲event_type', 'did you mean `by event_type`?');
    expectError('* | count ▲distinct user_id', '`unique user_id`');
    expectError('* | count ▲per day', '`count by day`');
    expectError('* | sum time as ▲', 'expected a name for the column');
    expectError('* | count ▲of count per user_id', 'a metric that makes one number of several');
    expectError('* | avg of ▲mode user_id per user_id', 'values of this one are texts');
    expectError('* | avg of ▲avg of count per user_id per session_id', 'only one `of`');
    expectError('* | avg of count ▲by user_id', 'expected `per`');
    expectError('* | avg of count per user_id▲[time exists]', 'the condition before `per`');
    expectError('a | count by time ▲order by count', '`| sort count desc`');
    expectError('funnel a -> b ▲within 7d', '`window 7d`');
    expectError('retention a ▲-> b', 'follows `returning`');
    expectError('retention a ▲b', 'follows `returning`');
    expectError('* | count by day | sort by ▲count', 'leave `by` out: `sort count`');
    expectError('* | count ▲bye event_type', 'did you mean `by`?');
    expectError('* | count by day ▲week', 'expected `|`');
    expectError('* | count by day, ▲', 'expected a field or one of hour');
    expectError('* | latest▲', 'expected a field');
    expectError('* | latest time per ▲by', 'expected a field, found `by`');
    expectError('* | count ▲last 3d', 'did you mean `| last`?');
  });

  it('tells the first error of the text', () => {
    expectError("* | ▲wher x = 'a'", 'did you mean `where`?');
    expectError("* | where user.x = ▲'a'", 'double quotes');
  });
});
