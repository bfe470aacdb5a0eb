import { expect } from 'chai';
import { compileQuery } from '../../../lib/dsl/compile.ts';
import { notesOfResult, wantsCatalog, type Elsewhere } from '../../../lib/dsl/hints/notes.ts';
import type { KnownNames } from '../../../lib/dsl/hints/suggest.ts';
import type { Experiment, Observations, Verdict } from '../../../lib/dsl/plan/table.ts';
import { CONTEXT, planOf } from '../queries.ts';

const NOTHING: Observations = { unseenEvents: [], unseenFields: [], rowsScanned: 0 };
const NAMES: KnownNames = {
  events: [
    { name: 'signup', rows: 12 },
    { name: 'user_logged_in', rows: 3 },
  ],
  fields: ['event_properties.amount', 'event_properties.plan', 'event_properties.cart size', 'user.country'],
};

const page = (shown: number, total = shown): { shown: number; total: number } => ({ shown, total });

function observed(
  query: string,
  observations: Partial<Observations>,
  names: KnownNames | null = NAMES,
  elsewhere: readonly Elsewhere[] = [],
) {
  const plan = planOf(query);
  const result = { page: page(0), observations: { ...NOTHING, ...observations } };
  return notesOfResult(
    plan,
    result,
    names === null ? null : { names, elsewhere, unseenChoice: null, isEmptyProject: false },
  );
}

/** The notes on a query without any data. */
function notesOf(query: string): readonly string[] {
  return compileQuery(query, CONTEXT).notes;
}

describe('notes of an answer', () => {
  it('are none where nothing is to say', () => {
    expect(observed('*', {})).to.deep.equal([]);
    expect(wantsCatalog(NOTHING)).to.equal(false);
    expect(wantsCatalog({ ...NOTHING, unseenEvents: ['a'] })).to.equal(true);
    expect(wantsCatalog({ ...NOTHING, unseenFields: ['user.a'] })).to.equal(true);
  });

  it('say of a condition `did` what is not where it looks, with the nearest known names', () => {
    const undone = { events: ['signp', 'signup'], fields: ['event_properties.amonut'], rows: 7 };
    expect(wantsCatalog({ ...NOTHING, undone })).to.equal(true);
    expect(wantsCatalog({ ...NOTHING, undone: { events: [], fields: [], rows: 7 } })).to.equal(false);
    expect(observed('* | where did(signp)', { undone })).to.deep.equal([
      'No event "signp" where `did` looks for it; the nearest known event is "signup".',
      'No event "signup" where `did` looks for it.',
      '`event_properties.amonut` has no value where `did` looks for it; the nearest known is `event_properties.amount`.',
    ]);
    const long = 'e'.repeat(2_000);
    expect(notesOf(`* | where did("${long}")`).join()).to.include('such names are never stored');
  });

  it('say that where asks for other times than the range has', () => {
    const told = (query: string): boolean => notesOf(query).some((note) => note.includes('asks for other times'));
    for (const query of [
      'users | where last_seen < "2026-01-01"',
      'users | where last_seen < "2026-01-01" and user.plan = "pro"',
      '* | where time < "2026-01-01" | count',
      'funnel a -> b | where time >= "2027-01-01"',
    ])
      expect(told(query), query).to.equal(true);
    for (const query of [
      'users | where last_seen < "2026-01-01" or user.plan = "pro"',
      'users | where last_seen > "2026-01-01"',
      'users | where first_seen < "2026-01-01"',
      'users | where last_seen < "2026-01-01" | from 2025-01-01',
      'sessions | where time < "2026-01-01"',
      'lifecycle a | where time < "2026-01-01"',
    ])
      expect(told(query), query).to.equal(false);
    expect(notesOf('users | where last_seen < "2026-01-01"')[0]).to.include('profiles last seen').and.include('`all`');
  });

  it('say nothing of how variants were handed out where a condition chooses among those who saw them', () => {
    const experiment = {
      variants: [
        { variant: 'control', users: 500 },
        { variant: 'new', users: 10 },
      ],
      several: 2,
      verdicts: [],
      tables: 0,
    };
    const told = (query: string): readonly string[] => observed(query, { experiment });
    expect(told('choice k | results b').join()).to.include('Sample ratio');
    expect(told('choice k | results b | where user.plan = "pro"')).to.deep.equal([
      '2 saw several variants and count for none.',
    ]);
  });

  it('name the nearest known event for one that was not seen', () => {
    const note = (event: string): string => observed('*', { unseenEvents: [event] }).join();
    expect(note('sigup')).to.equal('No event "sigup" in this range; the nearest known event is "signup".');
    expect(note('Signup')).to.include('"signup"');
    expect(note('logged_in')).to.include('"user_logged_in"');
    expect(note('xyzxyzxyzxyz')).to.equal('No event "xyzxyzxyzxyz" in this range.');
    expect(note('sesions')).to.include('there is the source `sessions`');
  });

  it('name the same of several that are equally near, in whatever order a store has them', () => {
    const [events, fields] = [['signus', 'signut', 'signuo'], ['event_properties.p', 'event_properties.b', 'event_properties.a']]; // prettier-ignore
    for (const order of [events, events.toReversed()]) {
      const names = { events: order.map((name) => ({ name, rows: 1 })), fields: order === events ? fields : fields.toReversed() }; // prettier-ignore
      const notes = observed('*', { unseenEvents: ['signup'], unseenFields: ['event_properties.""'] }, names);
      expect(notes.join()).to.include('event is "signuo"').and.include('known is `event_properties.a`');
    }
  });

  it('guess what a few names may have meant, of however many there are', () => {
    const unseenEvents = Array.from({ length: 12 }, (_, nth) => `signu${nth}`);
    const notes = observed('*', { unseenEvents, unseenFields: ['event_properties.amonut'] });
    expect(notes.filter((note) => note.endsWith('the nearest known event is "signup".'))).to.have.length(10);
    expect(notes.slice(10)).to.deep.equal([
      'No event "signu10" in this range.',
      'No event "signu11" in this range.',
      '`event_properties.amonut` has no value in this range.',
    ]);
  });

  it('guess nothing more once that has taken long, but go on telling what was not seen', () => {
    const near = (nth: number): string => `${'a'.repeat(55)}${String(nth).padStart(9, '0')}`;
    const events = Array.from({ length: 5_000 }, (_, nth) => ({ name: near(nth), rows: 1 }));
    const unseenEvents = Array.from({ length: 10 }, (_, nth) => `${'a'.repeat(55)}bbbbbbbb${nth}`);
    const notes = observed('*', { unseenEvents }, { events, fields: [] });
    expect(notes).to.deep.equal(unseenEvents.map((name) => `No event "${name}" in this range.`));
  });

  it('say of a known event how many there are at other times, from when to when, and the range that shows them', () => {
    const span = { first: Date.UTC(2026, 0, 31, 23), last: Date.UTC(2026, 2, 1, 22, 59, 59, 999) };
    const signup: Elsewhere = { of: { kind: 'event', name: 'signup' }, rows: 12, ...span };
    expect(observed('signup', { unseenEvents: ['signup', 'sigup'] }, NAMES, [signup])).to.deep.equal([
      'No event "sigup" in this range; the nearest known event is "signup".',
      'No event "signup" in this range; 12 are stored at other times, from 2026-01-31T23:00:00.000Z to 2026-03-01T22:59:59.999Z: `from 2026-01-31 to 2026-03-02` shows them.',
    ]);
    const zoned = observed('signup | tz "Europe/Berlin"', { unseenEvents: ['signup'] }, NAMES, [signup]).join();
    expect(zoned).to.include('`from 2026-02-01 to 2026-03-02`');
  });

  it('say it of all events, of a person and of users', () => {
    const note = (of: Elsewhere['of']): string =>
      observed('*', {}, NAMES, [{ of, rows: 1, first: 0, last: 0 }])
        .join()
        .split(';')[0] ?? '';
    expect(note({ kind: 'events' })).to.equal('No event at all in this range');
    expect(note({ kind: 'person', id: 'ann' })).to.equal('No event of the user "ann" in this range');
    expect(note({ kind: 'users' })).to.equal('No user was last seen in this range');
    expect(observed('*', {}, NAMES, [{ of: { kind: 'events' }, rows: 1, first: 0, last: 0 }]).join()).to.include(
      '1 is stored at other times, from 1970-01-01T00:00:00.000Z to 1970-01-01T00:00:00.000Z: `from 1970-01-01 to 1970-01-02` shows it.',
    );
  });

  it('say that an event was not seen without a catalog too', () => {
    expect(observed('*', { unseenEvents: ['a'] }, null)).to.deep.equal(['No event "a" in this range.']);
  });

  it('name the nearest known property for one without a value', () => {
    const note = (field: string): string => observed('*', { unseenFields: [field] }).join();
    expect(note('event_properties.amonut')).to.equal(
      '`event_properties.amonut` has no value in this range; the nearest known is `event_properties.amount`.',
    );
    expect(note('event_properties.country')).to.include('`user.country`');
    expect(note('event_properties.cart siz')).to.equal(
      '`event_properties."cart siz"` has no value in this range; the nearest known is `event_properties."cart size"`.',
    );
    expect(note('event_properties.plan')).to.equal('`event_properties.plan` has no value in this range.');
    expect(note('user.zzzzzzzzzzzz')).to.equal('`user.zzzzzzzzzzzz` has no value in this range.');
    expect(note('event_properties.')).to.include('`event_properties.""` has no value in this range');
  });

  it('say where the page cut what a query asks for', () => {
    const plan = planOf('* | count by user.a | top 500');
    const [note] = notesOfResult(plan, { page: page(100, 250), observations: NOTHING }, null);
    expect(note).to.include('Rows 1 to 100 of the 250').and.include('limit of 100');
    const whole = { page: page(50, 50), observations: NOTHING };
    expect(notesOfResult(plan, whole, null)).to.deep.equal([]);
    const second = planOf('* | count by user.a', { offset: 200 });
    expect(notesOfResult(second, { page: page(50, 250), observations: NOTHING }, null)).to.deep.equal([]);
  });

  it('say of a choice who counts for none, and check the ratio of its samples', () => {
    const shown = (users: readonly number[], several: number) => {
      const variants = users.map((own, at) => ({ variant: at === 0 ? 'control' : `new${at}`, users: own }));
      return observed('choice k | results b', { experiment: { variants, several, verdicts: [], tables: 0 } });
    };
    expect(shown([500, 510], 7)).to.deep.equal([
      '7 saw several variants and count for none.',
      'Sample ratio (control 500, new1 510; equal shares expected): no sign of a mismatch (p = 0.753).',
    ]);
    expect(shown([500, 700], 0).join()).to.include('a mismatch');
    expect(shown([0, 0], 0)).to.deep.equal([]);
    expect(shown(Array.from({ length: 30 }, () => 5), 0).join()).to.include('new9 5, 20 more; equal'); // prettier-ignore
  });

  describe('give the verdict of an experiment', () => {
    const verdict: Verdict = {
      ...{ group: [], variant: 'new', first: 'control', values: [0.268, 0.232] },
      ...{ interval: { low: -0.0021, high: 0.0742 }, p: 0.0665, more: 412 },
    };
    const told = (
      changes: Partial<Verdict>,
      query = 'results b',
      more: Partial<Experiment> = {},
    ): readonly string[] => {
      const experiment = { variants: [], several: 0, verdicts: [{ ...verdict, ...changes }], tables: 1, ...more };
      return observed(`choice k | ${query}`, { experiment });
    };

    it('that is open, with how many more persons would show it', () => {
      expect(told({})).to.deep.equal([
        'Verdict: open. new has 26.8 % against 23.2 % of control, a difference of 3.6 points ' +
          '(95 % interval -0.2 to 7.4, p = 0.0665); 412 more people in each would show a difference of this size with 80 % power.',
      ]);
      expect(told({ more: 1 }).join()).to.include('1 more person in each');
      expect(told({}, 'results b | unit session_id').join()).to.include('412 more units in each');
      expect(told({ more: 0 }).join()).to.include('there are as many people as show a difference of this size');
      expect(told({ values: [0.2, 0.2], more: null }).join()).to.include('there is no difference to show');
      expect(told({ interval: null, p: null, more: null }).join()).to.include('no test is possible');
    });

    it('that names the variant that is above the other', () => {
      expect(told({ p: 0.0412, interval: { low: 0.002, high: 0.071 } })).to.deep.equal([
        'Verdict: new is above control: 26.8 % against 23.2 %, a difference of 3.6 points ' +
          '(95 % interval 0.2 to 7.1, p = 0.0412).',
      ]);
      expect(told({ values: [0.232, 0.268], p: 0.0412, interval: { low: -0.071, high: -0.002 } })).to.deep.equal([
        'Verdict: control is above new: 26.8 % against 23.2 %, a difference of 3.6 points ' +
          '(95 % interval 0.2 to 7.1, p = 0.0412).',
      ]);
    });

    it('of means, of tests that are adjusted, and by group', () => {
      const means: Partial<Verdict> = { values: [1234.5678, 10.25], interval: { low: 1000.4, high: 1500 }, p: 0.001 };
      expect(told(means, 'results sum event_properties.n of b')).to.deep.equal([
        'Verdict: new is above control: 1235 against 10.25, a difference of 1224 (95 % interval 1000 to 1500, p = 0.00100).',
      ]);
      const variants = ['control', 'new', 'x'].map((variant) => ({ variant, users: 5 }));
      expect(told({}, 'results b', { variants }).join()).to.include('adjusted p = 0.0665');
      const verdicts = ['DE', null].map((cell) => ({ ...verdict, group: [cell] }));
      const grouped = told({}, 'results b | by _country', { verdicts, tables: 7 });
      expect(grouped.map((note) => note.slice(0, 30))).to.deep.equal([
        'Verdict for DE: open. new has ',
        'Verdict for (none): open. new ',
        'Only the first 2 groups have a',
      ]);
    });

    it('and nothing where nobody saw the first variant', () => {
      expect(told({}, 'results b', { verdicts: [null] })).to.deep.equal([]);
    });
  });
});

describe('notes of a plan', () => {
  it('name the buckets that the range cuts', () => {
    expect(notesOf('* | by day | last 2d')).to.deep.equal(['Partial days, cut by the range: 2026-11-18, 2026-11-20.']);
    expect(notesOf('* | by day | today')).to.deep.equal(['Partial day, cut by the range: 2026-11-20.']);
    expect(notesOf('* | by week | from 2026-11-09 to 2026-11-16')).to.deep.equal([]);
    expect(notesOf('* | by hour | last 1h')).to.deep.equal([
      'Partial hours, cut by the range: 2026-11-20T13:00:00Z, 2026-11-20T14:00:00Z.',
    ]);
    expect(notesOf('* | by month, user.a | this month')).to.deep.equal([
      'Partial month, cut by the range: 2026-11-01.',
    ]);
    expect(notesOf('* | by year | last 1d')).to.deep.equal(['Partial year, cut by the range: 2026-01-01.']);
    expect(notesOf('*')).to.deep.equal([]);
  });

  it('know that a lifecycle starts with a whole bucket', () => {
    expect(notesOf('lifecycle a')).to.deep.equal(['Partial week, cut by the range: 2026-11-16.']);
    expect(notesOf('retention a')).to.deep.equal(['Partial weeks, cut by the range: 2026-08-24, 2026-11-16.']);
  });

  it('say that a name is too long to be stored, and not that conditions contradict each other', () => {
    const note = 'The query asks for a name of more than 256 characters; such names are never stored.';
    for (const name of ['e', 'event_properties.e', 'user.e']) {
      const condition = name === 'e' ? '' : ' exists';
      const asked = (length: number): readonly string[] =>
        notesOf(`${condition === '' ? '' : '* | where '}${name.padEnd(length, 'x')}${condition}`);
      expect(asked(name.length + 256)).to.deep.equal([note]);
      expect(asked(256)).to.deep.equal([]);
    }
  });

  it('say that conditions contradict each other', () => {
    const note = 'The conditions contradict each other: nothing can match.';
    expect(notesOf('* | where user.a = "x" and user.a = "y"')).to.deep.equal([note]);
    expect(notesOf('signup | where event_type = "login"')).to.deep.equal([note]);
    expect(notesOf('funnel a[event_type = "b"] -> c')).to.deep.equal([note]);
    expect(notesOf('* | latest user.a | where entity = "x" | where entity = "y"')).to.deep.equal([note]);
  });
});
