/** Archives of Segment (and of RudderStack): the messages of its libraries, one a line. */
import { meaningOf, MESSAGES } from '../../../base/segment-message.ts';
import { ImportError, type ImportFormat, type Loss, type Mapped, type SourceRecord } from '../format.ts';
import { isFilled } from './ndjson.ts';

export const segment: ImportFormat = {
  name: 'segment',
  title: "Segment's archive",
  reads: ['lines'],
  recognizes: (record) =>
    MESSAGES.some((type) => type === record['type']) && ('anonymousId' in record || 'userId' in record),
  map,
};

/** What a message says that is stored, or that is about its way through Segment. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['type', 'event', 'name', 'category', 'properties', 'traits', 'context', 'userId', 'anonymousId', 'groupId'],
  ...['previousId', 'messageId', 'timestamp', 'originalTimestamp', 'sentAt', 'receivedAt', 'channel', 'version'],
]);

/** `timestamp` is the time of the event by Segment's clock: it corrects that of the device. */
function map(record: SourceRecord): Mapped {
  const { timestamp, originalTimestamp } = record;
  const message = { ...record, originalTimestamp: timestamp ?? originalTimestamp };
  const meaning = meaningOf(message, { trusted: true, isDated: true });
  if ('refused' in meaning) throw new ImportError(meaning.refused);
  const lost = Object.keys(record)
    .filter((name) => !KNOWN.has(name) && isFilled(record[name]))
    .map((field): Loss => ({ field, why: 'of its way through Segment, not of the person' }));
  if ('event' in meaning) return { events: [meaning.event], identifies: [], lost };
  const told = meaning.told === undefined ? [] : [{ field: 'previousId', why: meaning.told }];
  return { events: [], identifies: [meaning.identify], lost: [...lost, ...told] };
}
