import { expect } from 'chai';
import { BUCKETS, LATER_SOURCES, SOURCES, STAGES } from '../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../lib/dsl/plan/metrics.ts';
import { errorOf, expectError, planAs, planOf } from './queries.ts';

describe('sources', () => {
  it('reads a blank query as all events', () => {
    for (const query of ['', '  \n', '# nothing', '*', ' * ']) {
      expect(planAs('aggregate', query)).to.include({ event: null, person: null });
    }
    expect(planAs('aggregate', '| count').event).to.equal(null);
  });

  it('reads an event bare or in quotes', () => {
    expect(planAs('aggregate', 'signup').event).to.equal('signup');
    expect(planAs('aggregate', '"Signed up!"').event).to.equal('Signed up!');
    expect(planAs('aggregate', 'a.b/c:d-e$f').event).to.equal('a.b/c:d-e$f');
    expect(planAs('aggregate', '購入').event).to.equal('購入');
    expect(planAs('aggregate', '404').event).to.equal('404');
    expect(planAs('aggregate', '"a\\u00e9\\n"').event).to.equal('aé\n');
    expect(planAs('aggregate', 'd').event).to.equal('d');
    expect(planAs('aggregate', 'p0').event).to.equal('p0');
    expect(planAs('aggregate', 'p100').event).to.equal('p100');
  });

  it('keeps the case of names and ignores that of keywords', () => {
    expect(planAs('aggregate', 'SignUp | COUNT BY Day')).to.deep.include({
      event: 'SignUp',
      groups: [{ kind: 'bucket', unit: 'day', column: 'Day' }],
    });
    expect(planOf('RETENTION signup').kind).to.equal('retention');
  });

  it('wants every word of the language in quotes to be an event', () => {
    const connectors = 'to exclude returning any and or not in exists contains per asc desc true false null'.split(' ');
    const words = [...STAGES, ...METRICS, ...BUCKETS, 'p1', 'p99', ...connectors];
    for (const word of words) {
      expectError(`▲${word}`, 'expected a source');
      expectError(`▲${word.toUpperCase()}`, 'expected a source');
      expect(planAs('aggregate', `"${word}"`).event).to.equal(word);
      expectError(`lifecycle ▲${word}`, `"${word}"`);
    }
    for (const word of SOURCES) {
      expect(planAs('aggregate', `"${word}"`).event).to.equal(word);
      expectError(`lifecycle ▲${word}`, `"${word}"`);
    }
  });

  it('takes the words of later sources for events but at the start of a query', () => {
    for (const word of LATER_SOURCES) {
      expect(planAs('aggregate', `"${word}"`).event).to.equal(word);
      expect(planAs('lifecycle', `lifecycle ${word}`).event).to.equal(word);
      expect(planAs('funnel', `funnel ${word} -> ${word}`).steps[1]?.events).to.deep.equal([word]);
      expect(planOf(`${word.toUpperCase()} ${word} | by _path`).kind).to.equal(word);
    }
  });

  it('proposes a source to a query that starts with a stage', () => {
    expectError('▲count by day', '* | count by day');
    expectError('▲where time exists', '* | where time exists');
    expectError('▲p95 time', '* | p95 time');
  });

  it('reads a funnel with its steps, filters and exclusions', () => {
    const plan = planAs('funnel', 'funnel a->b-> "c d" [event_properties.x = 1] -> * exclude e, "f", *');
    expect(plan.steps.map((step) => step.events)).to.deep.equal([['a'], ['b'], ['c d'], [null]]);
    expect(plan.steps.map((step) => step.where !== null)).to.deep.equal([false, false, true, false]);
    expect(plan.exclude).to.deep.equal(['e', 'f', null]);
    expect(plan.window).to.deep.equal({ count: 30, unit: 'd' });
  });

  it('reads lists in square brackets inside the filter of a step', () => {
    const plan = planAs('funnel', 'funnel a[event_properties.x in ["p", "q"] and time exists] -> b');
    expect(plan.steps[0]?.where?.kind).to.equal('and');
  });

  it('points at what a funnel lacks', () => {
    expectError('funnel▲', 'event of a step');
    expectError('funnel a▲', 'expected `->`');
    expectError('funnel a -> ▲| count', 'event of a step');
    expectError('funnel a [time exists▲', 'expected `]`');
    expectError('funnel a -> b exclude ▲', 'expected an event to exclude');
    expectError('funnel a -> b ▲c', 'expected `|`');
    expectError(`funnel ${Array.from({ length: 64 }, () => 'a').join('->')}->▲a`, 'at most 64 steps');
    expectError(
      `funnel ${Array.from({ length: 64 }, () => 'a').join(' or ')} or ▲a -> b`,
      'at most 64 events in one step',
    );
  });

  it('reads retention with and without what counts as a return', () => {
    expect(planAs('retention', 'retention signup')).to.include({ event: 'signup', returning: null, unit: 'week' });
    expect(planAs('retention', 'retention * returning any')).to.include({ event: null, returning: null });
    expect(planAs('retention', 'retention a returning "any"').returning).to.equal('any');
    expect(planAs('retention', 'retention a returning b').returning).to.equal('b');
    expectError('retention▲', 'expected the event');
    expectError('retention a returning ▲', 'expected an event or `any`');
  });

  it('reads paths in both directions', () => {
    expect(planAs('paths', 'paths from *')).to.deep.include({
      direction: 'from',
      event: null,
      window: { count: 1, unit: 'h' },
      depth: 5,
      limit: 20,
      label: { kind: 'core', name: 'event_type' },
    });
    expect(planAs('paths', 'paths to "to"')).to.include({ direction: 'to', event: 'to' });
    expectError('paths ▲signup', 'expected `from` or `to`');
    expectError('paths ▲form signup', 'did you mean `from`?');
    expectError('paths from▲', 'expected an event');
  });

  it('reads the sources of one event', () => {
    expect(planAs('lifecycle', 'lifecycle *')).to.include({ event: null, unit: 'week', column: 'week' });
    expect(planAs('stickiness', 'stickiness a').event).to.equal('a');
    expectError('stickiness▲', 'expected an event');
  });

  it('reads the sources without an event', () => {
    expect(planOf('users').kind).to.equal('users');
    expect(planOf('sessions').kind).to.equal('sessions');
    expect(planOf('fields').kind).to.equal('fields');
    expectError('sessions ▲foo', 'expected `|`');
  });

  it('wants the id of a user in quotes', () => {
    expect(planAs('list', 'user "u 1"')).to.include({ event: null, person: 'u 1' });
    expectError('user ▲u1', 'put it in quotes: "u1"');
    expectError('user▲', 'expected the id of a user');
  });

  it('inspects all events or one', () => {
    expect(planAs('inspect', 'inspect').event).to.equal(null);
    expect(planAs('inspect', 'inspect *').event).to.equal(null);
    expect(planAs('inspect', 'inspect page_view | last 3d').event).to.equal('page_view');
  });

  it('reads the key of a choice', () => {
    expect(planAs('choice', 'choice "new checkout" | results buy').choice).to.equal('new checkout');
    expectError('choice ▲*', 'expected the key of a choice');
    expectError('choice▲', 'expected the key of a choice');
  });

  it('proposes a source for a misspelt one', () => {
    expectError('▲funel a -> b', 'did you mean `funnel`?');
    expectError('▲retentoin signup', 'did you mean `retention`?');
    expectError('signup ▲last 7d', 'did you mean `| last`?');
    expectError('signup ▲signup', 'expected `|` and a stage');
  });

  it('proposes quotes for a name of two words, wherever an event stands', () => {
    for (const before of [
      '',
      'inspect ',
      'lifecycle ',
      'paths to ',
      'retention a returning ',
      'funnel a -> ',
      'choice ',
    ]) {
      expectError(`${before}sign ▲up`, 'put a name of two words in quotes: "sign up"');
    }
    expectError('funnel sign ▲up -> b', 'put a name of two words in quotes: "sign up"');
    for (const query of ['"sign" up', '* up', 'funnel a -> b [time exists] up', 'retention a returning any up']) {
      expect(errorOf(query).data.message, query).not.to.include('two words');
    }
  });

  it('proposes what reads several events where they stand as a source', () => {
    expectError('a ▲-> b | last 7d', 'did you mean `funnel a -> b | last 7d`?');
    for (const query of ['a▲, b', 'a ▲or b', 'a ▲and b']) expectError(query, '* | where event_type in ("a", "b")');
    expectError('funnel a▲, b', 'a funnel has steps: funnel a -> b');
  });

  it('proposes the word that goes on, where it is misspelt', () => {
    expectError('retention a ▲retuning b', 'did you mean `returning`?');
    expectError('funnel a -> b ▲exclud c', 'did you mean `exclude`?');
    expectError('* | latest user.x ▲pre user.y', 'did you mean `per`?');
    expectError('* | count | sort count ▲decs', 'did you mean `desc`?');
    expectError('* | where time exists ▲adn time exists', 'did you mean `and`?');
    expectError('* | where user.x = ▲treu', 'did you mean `true`?');
    expectError('* | count by ▲dya', 'did you mean `day`?');
  });

  it('proposes no word that could not stand there', () => {
    expectError('* | from 2026-01-01 ▲o 2026-02-01', 'did you mean `to`?');
    expectError('* | latest user.x ▲pr user.y', 'did you mean `per`?');
    expectError('* | count | sort count ▲dsc', 'did you mean `desc`?');
    expectError('* | count | sort count ▲ac', 'did you mean `asc`?');
    expectError('* | last 7d ▲bye day', 'did you mean `| by`?');
    expectError('* ▲b day', 'did you mean `| by`?');
    for (const query of [
      '* | count by day t day',
      '* | last 7d adn time exists',
      'funnel a -> b | last 7d exclud c',
      'retention a | by day retuning b',
      '* | count | sort count desc asd',
    ])
      expect(errorOf(query).data.message, query).not.to.include('did you mean');
  });
});
