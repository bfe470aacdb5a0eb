import { expect } from 'chai';
import fc from 'fast-check';
import type { NormalIdentify, PropertyValue } from '../../../../lib/shards/event.ts';
import { allDated } from '../../../../lib/shards/ingest/enrich/change-dates.ts';
import { HeldProperties } from '../../../../lib/shards/ingest/enrich/profile.ts';
import { applyIdentify } from '../../../oracle/profiles.ts';

const NOTHING = { set: [], setOnce: [], add: [], unset: [] } as const;
const change = (at: number | null, changes: Partial<NormalIdentify>): NormalIdentify => {
  return { userId: 'u', deviceId: null, at, ...NOTHING, ignored: [], ...changes };
};

const text = (value: string): PropertyValue => ({ type: 'string', text: value });

/** The profile as another process reads it. */
const stored = (held: HeldProperties, undated = -Infinity): HeldProperties =>
  new HeldProperties(JSON.parse(JSON.stringify(held)), held.dates(), undated);

describe('the dates of changes to a profile', () => {
  it('decide as the oracle does, however often the profile is stored in between', () => {
    const key = fc.constantFrom('a', 'b', '1', '__proto__');
    const entry = fc.tuple(key, fc.integer({ min: 1, max: 9 }));
    const changes = fc.record({ set: fc.array(entry, { maxLength: 2 }), setOnce: fc.array(entry, { maxLength: 1 }), add: fc.array(entry, { maxLength: 1 }), unset: fc.array(key, { maxLength: 2 }) }); // prettier-ignore
    const step = fc.tuple(fc.integer({ min: -5, max: 5 }), changes, fc.boolean());
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        let held = new HeldProperties({});
        const expected = { properties: new Map<string, unknown>(), dates: new Map<string, number>() };
        for (const [at, made, isStored] of steps) {
          held.apply(change(at, made));
          applyIdentify(expected, made, at);
          if (isStored) held = stored(held);
        }
        expect(held.toJSON()).to.deep.equal(Object.fromEntries(expected.properties));
      }),
      { numRuns: 1000 },
    );
  });

  it('are the upgrade for what was stored before, and make no difference to changes without a date', () => {
    const held = new HeldProperties({ plan: 'pro' }, '', 1_000);
    held.apply(change(999, { set: [['plan', text('old')], ['city', text('Rome')]], unset: ['plan'] })); // prettier-ignore
    expect(held.toJSON()).to.deep.equal({ plan: 'pro', city: 'Rome' });
    held.apply(change(1_000, { set: [['plan', text('new')]] }));
    expect(held.toJSON()).to.deep.equal({ plan: 'new', city: 'Rome' });
    held.apply(change(null, { set: [['plan', text('replayed')]] }));
    const again = stored(held, 1_000);
    again.apply(change(999, { set: [['plan', text('old')]] }));
    expect(again.toJSON()).to.deep.equal({ plan: 'replayed', city: 'Rome' });
  });

  it('take few bytes, and nothing while there are none', () => {
    const held = new HeldProperties({ old: 1 }, '', 5);
    expect(held.dates()).to.equal('');
    held.apply(change(1_788_220_800_000, { set: [['a', 1], ['b', 2]] })); // prettier-ignore
    held.apply(change(1_788_220_801_000, { set: [['b', 3]], unset: ['gone'] }));
    expect(held.dates()).to.equal('[null,1788220800000,1000,{"gone":1788220801000}]');
    const dated = allDated(['old', 'a', 'b'], { dates: held.dates(), undated: 5 });
    expect(dated).to.equal('[5,1788220799995,1000,{"gone":1788220801000}]');
    expect(allDated(['x'], { dates: '', undated: -Infinity })).to.equal('');
  });

  it('of unset properties are kept of the 256 latest', () => {
    const held = new HeldProperties({});
    for (let at = 1; at <= 300; at++) held.apply(change(at, { unset: [`k${at}`] }));
    held.apply(change(0, { set: [['k44', text('forgotten')], ['k45', text('known')]] })); // prettier-ignore
    expect(held.toJSON()).to.deep.equal({ k44: 'forgotten' });
    expect(held.storedBytes).to.be.below(256 * 4 + 20);
  });
});
