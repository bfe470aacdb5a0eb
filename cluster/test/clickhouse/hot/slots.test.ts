import { expect } from 'chai';
import { HotValues } from '../../../lib/clickhouse/hot/hot-values.ts';
import { Slots, SLOTS, type MetKind, type SlotKind } from '../../../lib/clickhouse/hot/slots.ts';
import { spellsNumber } from '../../../../lib/dsl/plan/value.ts';
import type { PropertyValue } from '../../../../lib/shards/event.ts';

const met = (key: string, kind: SlotKind = 'text', fits = true): MetKind => ({ key, kind, fits });
const text = (value: string): PropertyValue => ({ type: 'string', text: value });
const numberOf = (value: PropertyValue): number | null =>
  typeof value === 'number' ? value : value.type === 'string' ? spellsNumber(value.text) : null;

function noted(slots: Slots, ...kinds: readonly MetKind[]): Slots {
  return new Slots([...slots.entries, ...slots.assign(kinds)], slots.isClosed);
}

describe('columns for the properties of a project', () => {
  it('go to the first properties, each kind of values to its own, until there are none left', () => {
    const keys = Array.from({ length: SLOTS.text + 1 }, (_, i) => met(`k${i}`));
    const slots = noted(new Slots([]), ...keys, met('k0', 'number'));
    expect(slots.slotOf('text', 'k0')).to.equal(0);
    expect(slots.slotOf('text', `k${SLOTS.text - 1}`)).to.equal(SLOTS.text - 1);
    expect(slots.slotOf('text', `k${SLOTS.text}`), 'none left').to.equal(null);
    expect(slots.slotOf('number', 'k0')).to.equal(0);
    expect(slots.slotOf('number', 'k1'), 'no such values').to.equal(undefined);
  });

  it('never change, and are noted once', () => {
    const slots = noted(new Slots([]), met('a'), met('a'), met('b', 'number'));
    expect(slots.assign([met('a'), met('b', 'number')])).to.deep.equal([]);
    expect(noted(slots, met('c')).slotOf('text', 'a')).to.equal(0);
  });

  it('are not for objects and long texts, nor for properties after the first 64', () => {
    const first = Array.from({ length: 64 }, (_, i) => met(`k${i}`, 'text', false));
    const slots = noted(new Slots([]), ...first);
    expect(slots.slotOf('text', 'k0')).to.equal(null);
    expect([slots.isOpen, slots.isNews('text', 'later'), slots.isNews('number', 'k0')]).to.deep.equal([
      false,
      false,
      true,
    ]);
    expect(slots.assign([met('later'), met('k0', 'number')])).to.deep.equal([{ key: 'k0', kind: 'number', slot: 0 }]);
  });

  it('are for no property of a project that has events without them', () => {
    const slots = new Slots([], true);
    expect([slots.isNews('text', 'a'), slots.assign([met('a')])]).to.deep.equal([false, []]);
  });
});

describe('what an event has for the columns', () => {
  it('stands at their places: texts, numbers that a value is or spells; nothing of null', () => {
    const slots = noted(new Slots([]), met('plan'), met('size', 'number'), met('size'), met('on'));
    const row = new HotValues(slots).row(
      [['size', 1.5], ['on', { type: 'boolean', text: 'true' }], ['plan', { type: 'null', text: '' } as PropertyValue]], numberOf); // prettier-ignore
    expect(row).to.equal('[null,null,"true"],[1.5],1');
    expect(new HotValues(slots).row([['size', text('1e999')]], numberOf)).to.equal('[null,"1e999"],[],1');
  });

  it('tells what must be noted first, whether a column would pay by all of the values', () => {
    const values = new HotValues(new Slots([]));
    for (const value of [text('short'), text('x'.repeat(201)), text('7')]) values.row([['a', value]], numberOf);
    values.row([['o', { type: 'object', text: '{}' }]], numberOf);
    expect(values.met).to.deep.equal([met('a', 'text', false), met('a', 'number'), met('o', 'text', false)]);
  });
});
