/** The time range of a query: its stage, or the default of its source. */
import { failAt, type Binding } from './binding.ts';
import { parseInstant } from '../time/instant.ts';
import type { Duration, TimeRange } from '../time/units.ts';
import type { RangeNode, WhenNode } from '../parse/syntax.ts';
import { bucketStart } from '../time/buckets.ts';
import { addDuration } from '../time/duration.ts';

/** No event is older than the first year that a date can express. */
const EARLIEST = new Date(0).setUTCFullYear(1, 0, 1);

export function bindRange(binding: Binding, byDefault: Duration): TimeRange {
  const { now, zone } = binding;
  // The day of arrival, 1 ms before now: at midnight, today is the day that ends.
  const arrival = now - 1;
  const range: RangeNode = binding.stages.one('range')?.range ?? { kind: 'last', duration: byDefault };
  switch (range.kind) {
    case 'all':
      return allRange(binding, byDefault);
    case 'last':
      return lastRange(binding, range.duration);
    case 'from':
      return fromRange(binding, range.from, range.to);
    case 'today':
      return { from: bucketStart(zone, 'day', arrival), to: now };
    case 'yesterday': {
      const today = bucketStart(zone, 'day', arrival);
      return { from: bucketStart(zone, 'day', today - 1), to: today };
    }
    case 'this':
      return { from: bucketStart(zone, range.unit, arrival), to: now };
  }
}

/** Without events it is the default; if the first one lies in the future, the range is empty. */
function allRange(binding: Binding, byDefault: Duration): TimeRange {
  const { now, earliest } = binding;
  const { from } = earliest === null ? lastRange(binding, byDefault) : { from: Math.min(earliest, now) };
  return { from, to: now, all: true };
}

function lastRange({ now, zone }: Binding, duration: Duration): TimeRange {
  return { from: Math.max(addDuration(now, duration, zone, -1), EARLIEST), to: now };
}

function fromRange(binding: Binding, first: WhenNode, last: WhenNode | null): TimeRange {
  const from = bindWhen(binding, first);
  const to = last === null ? binding.now : bindWhen(binding, last);
  if (to <= from) {
    failAt(
      binding,
      last ?? first,
      last === null
        ? 'expected a time before now'
        : 'expected a time later than that after `from`; `to` itself is not included',
    );
  }
  return { from, to };
}

function bindWhen(binding: Binding, when: WhenNode): number {
  const time = parseInstant(when.text, binding.zone);
  if (time === null) {
    return failAt(binding, when, 'expected a valid date or time', [
      'write 2026-01-31, 2026-01-31T10:00 or 2026-01-31T10:00:00Z',
    ]);
  }
  return time;
}
