import { expect } from 'chai';
import fc from 'fast-check';
import { AppError } from '../../../../lib/base/errors.ts';
import type { NormalEvent } from '../../../../lib/shards/event.ts';
import { parseBatch, parseJson } from '../../../../lib/shards/ingest/normalise/body.ts';
import type { Invalid } from '../../../../lib/shards/ingest/normalise/event.ts';
import { BatchScanner } from '../../../../lib/shards/ingest/scan/batch-scanner.ts';
import { ScannedEvent } from '../../../../lib/shards/ingest/scan/scanned-event.ts';
import { contextOf, eventOf, parsedEvent } from './event-of.ts';
import { eventText, numberToken, often, plainEventText, textToken } from './json-texts.ts';

const MAX_EVENTS = 20;
type Outcome = (NormalEvent | Invalid)[] | 'no batch';

const out = new ScannedEvent();

/** What a consumer makes of a body; `slow` counts the elements left to JSON.parse. */
function scanAll(bytes: Uint8Array): { outcome: Outcome; ended: boolean; slow: number } {
  const scanner = new BatchScanner(bytes, MAX_EVENTS);
  const context = contextOf(scanner.root);
  const events: (NormalEvent | Invalid)[] = [];
  for (let slow = 0; ;) {
    const step = scanner.next(out);
    if (step === 'end') return { outcome: events, ended: true, slow };
    if (step === 'bad') return { outcome: 'no batch', ended: false, slow };
    if (step === 'event') {
      events.push(eventOf(bytes, out, context));
      continue;
    }
    slow++;
    try {
      events.push(parsedEvent(parseJson(bytes.subarray(out.start, out.end)), context));
    } catch {
      return { outcome: 'no batch', ended: true, slow };
    }
  }
}

function parseAll(bytes: Uint8Array): Outcome {
  try {
    const { events, root } = parseBatch(bytes, MAX_EVENTS);
    return [...events].map((event) => parsedEvent(event, contextOf(root)));
  } catch (error) {
    expect(error).to.be.instanceOf(AppError);
    return 'no batch';
  }
}

describe('BatchScanner', () => {
  it('hands out what parseBatch finds in a body, whenever it comes to its end', () => {
    const element = fc.oneof(
      { weight: 8, arbitrary: eventText },
      { weight: 8, arbitrary: plainEventText },
      {
        weight: 1,
        arbitrary: fc.oneof(textToken, numberToken, fc.constantFrom('null', '[]', '[{}]', '{}', '', '\ufeff1')),
      },
    );
    const lead = fc.constantFrom('', '', '', '"sent_at":"2026-03-08T08:00:00Z",', '"origin":"server",', '"a":{"b":[1]},', '"ev\\u0065nts":[],', '"events":[],', 'x'); // prettier-ignore
    const tail = fc.constantFrom('}', '}', '}', '}', ' } \n', ',"origin":"server"}', '', '}}', '} x');
    const damage = often(fc.constant(null), fc.tuple(fc.nat(), fc.nat(255)), 2);
    const elements = fc.array(element, { maxLength: MAX_EVENTS + 1 });
    fc.assert(
      fc.property(elements, lead, tail, damage, (events, before, after, damaged) => {
        const bytes = Buffer.from(`{${before}"events":[${events.join(' ,')}]${after}`);
        if (damaged) bytes[damaged[0] % bytes.length] = damaged[1];
        const { outcome, ended } = scanAll(bytes);
        if (ended) expect(outcome).to.deep.equal(parseAll(bytes));
      }),
      { numRuns: 2000 },
    );
  });

  it('takes plain batches without JSON.parse', () => {
    fc.assert(
      fc.property(fc.array(plainEventText, { maxLength: MAX_EVENTS }), (events) => {
        const bytes = Buffer.from(`{ "events" : [${events.join(', ')}] }\n`);
        expect(scanAll(bytes)).to.deep.equal({ outcome: parseAll(bytes), ended: true, slow: 0 });
      }),
      { numRuns: 200 },
    );
  });

  it('reads members that stand before the events', () => {
    const bytes = Buffer.from(
      '\ufeff{"sent_at":"2026-03-08T08:00:00Z","origin":"server","clientOriginated":true,"x":[{}],"events":[{"event_type":"e"}]}',
    );
    expect(scanAll(bytes).outcome).to.deep.equal(parseAll(bytes));
    expect(new BatchScanner(bytes, MAX_EVENTS).root).to.deep.equal({
      sentAt: Date.parse('2026-03-08T08:00:00Z'),
      originServer: true,
      clientOriginated: true,
      strict: false,
    });
  });

  it('tells exactly where a slow element lies', () => {
    const bytes = Buffer.from('{"events":[{"event_type":"a"}, {"event_type":"b","x":["]}"]} ,"c\\"", 5 ]}');
    const scanner = new BatchScanner(bytes, MAX_EVENTS);
    const seen: string[] = [];
    for (let step = scanner.next(out); step !== 'end' && step !== 'bad'; step = scanner.next(out)) {
      seen.push(`${step} ${bytes.toString('utf8', out.start, out.end)}`);
    }
    expect(seen).to.deep.equal([
      'event {"event_type":"a"}',
      'slow {"event_type":"b","x":["]}"]}',
      'slow "c\\""',
      'slow 5',
    ]);
  });

  it('takes at most so many events', () => {
    const body = (events: number): Buffer =>
      Buffer.from(JSON.stringify({ events: Array.from({ length: events }, () => ({ event_type: 'e' })) }));
    expect(scanAll(body(MAX_EVENTS)).ended).to.equal(true);
    expect(scanAll(body(MAX_EVENTS + 1)).ended).to.equal(false);
  });

  for (const body of [
    '',
    '[]',
    '{}',
    '{"event_type":"e"}',
    '{"events":{}}',
    '{"events":null}',
    '{"events":[]',
    '{"events":[],"a":1}',
  ]) {
    it(`leaves ${body === '' ? 'an empty body' : body} to parseBatch`, () => {
      expect(scanAll(Buffer.from(body)).ended).to.equal(false);
    });
  }
});
