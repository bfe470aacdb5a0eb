import { expect } from 'chai';
import fc from 'fast-check';
import { EventScan } from '../../../lib/cli/track/event-scan.ts';
import { isNothing } from '../../../lib/cli/track/insert-id.ts';

/** What the scan says of a line that has other bytes on both sides, as in a chunk of stdin. */
function scanned(line: Buffer | string): 'event' | 'event with id' | 'other' {
  const [before, text, after] = ['}"\n', line, '\n"}'].map((part) => Buffer.from(part));
  const bytes = Buffer.concat([before!, text!, after!]);
  const scan = new EventScan();
  const from = before!.length;
  if (!scan.isEvent({ number: 1, bytes, from, to: from + text!.length })) return 'other';
  expect(bytes.toString('utf8', from, scan.brace + 1)).to.equal(text!.toString().trimEnd());
  return scan.hasId ? 'event with id' : 'event';
}

/** What JSON.parse says of it; null if it is no event. */
function parsed(line: Buffer): 'event' | 'event with id' | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(line));
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, 'event_type')) return null;
    return isNothing(Object.getOwnPropertyDescriptor(value, 'insert_id')?.value) ? 'event' : 'event with id';
  } catch {
    return null;
  }
}

describe('EventScan', () => {
  it('knows ordinary events, and those that have an insert id', () => {
    const members =
      '"event_type": "a", "user_id":"ü\\n\\"", "n":-0.5e+3, "p":{"x":[1,{}, [] ,true,null],"insert_id":1}';
    expect(scanned(`{${members}}`)).to.equal('event');
    expect(scanned(` {"insert_id" : "7", ${members} } \r`)).to.equal('event with id');
    expect(scanned(`{"insert_id":12,${members}}`)).to.equal('event with id');
    for (const id of ['null', '""', '"none"', '"undefined"', '"[object Object]"']) {
      expect(scanned(`{"event_type":"a","insert_id":${id}}`), id).to.equal('event');
    }
  });

  it('leaves to JSON.parse what may not be an event', () => {
    const others = [
      ...['', '7', '[]', '{', '{}', '{"type":"a"}', '{"p":{"event_type":"a"}}', '{"x":"event_type"}', '{"event_type"}'],
      ...['{"event_type":"a"},{"event_type":"b"}', '{"event_type":"a"}]', '{"event_type":"a",}', '{"event_type":"a" "b":1}'],
      ...['{"event_type":01}', '{"event_type":.5}', '{"event_type":1.}', '{"event_type":1e}', '{"event_type":-}', '{"event_type":nul}'],
      ...['{"event_type":"a\tb"}', '{"event_type":"\\x"}', '{"event_type":"a', '{"event_type":[1}}', `{"event_type":${'['.repeat(80)}`],
      ...['{"event_type":"a","insert\\u005fid":"b"}', '{"event_type":"a","insert_id":"b","insert_id":null}'],
    ]; // prettier-ignore
    for (const line of others) expect(scanned(line), line).to.equal('other');
    expect(scanned(Buffer.from([...Buffer.from('{"event_type":"'), 0xff, ...Buffer.from('"}')]))).to.equal('other');
  });

  it('says nothing else than JSON.parse of any line it knows', () => {
    const name = fc.constantFrom('event_type', 'insert_id', 'x', 'ü');
    const id = fc.constantFrom(null, '', 'none', 'NaN', 'id-1', 7);
    const event = fc.record({ event_type: fc.string(), insert_id: id, x: fc.dictionary(name, fc.jsonValue()) }, { requiredKeys: [] });
    const edit = fc.record({ at: fc.nat(400), removed: fc.nat(2), bytes: fc.constantFrom('', '"', '\\', '{', '}', '[', ']', ',', ':', '0', '-', '.', 'e', ' ', 'é') });
    let known = 0;
    fc.assert(
      fc.property(event, fc.option(edit), fc.constantFrom(undefined, 1), (value, change, indent) => {
        const line = Buffer.from(JSON.stringify(value, null, indent).replaceAll('\n', ' '));
        const at = Math.min(change?.at ?? 0, line.length);
        const changed = change === null ? line : Buffer.concat([line.subarray(0, at), Buffer.from(change.bytes), line.subarray(at + change.removed)]);
        const said = scanned(changed);
        if (said === 'other') return;
        known += 1;
        expect(said, changed.toString()).to.equal(parsed(changed));
      }),
      { numRuns: 2_000 },
    );
    expect(known, 'lines it knew').to.be.greaterThan(200);
  }); // prettier-ignore
});
