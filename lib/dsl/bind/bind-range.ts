/** Ranges of time: as written, and by default. */
import { failAt, type BindingScope } from './binding.ts';
import { hintsOfLength } from '../parse/foreign-words.ts';
import type { RangeNode, WhenNode } from '../parse/syntax.ts';
import { bucketStart } from '../time/buckets.ts';
import { addDuration } from '../time/duration.ts';
import { parseInstant } from '../time/instant.ts';
import { unitFrom, type Duration, type TimeRange } from '../time/units.ts';

/** No event is older than the first year that a date can express. */
export const EARLIEST = new Date(0).setUTCFullYear(1, 0, 1);

/** The range of a query, or that by default. */
export function bindRange(binding: BindingScope, byDefault: Duration): TimeRange {
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
      return { from: bucketStart(zone, unitFrom(range.unit, binding.weeks), arrival), to: now };
  }
}

/** Without events it is the default; if the first one lies in the future, the range is empty. */
function allRange(binding: BindingScope, byDefault: Duration): TimeRange {
  const { now, earliest } = binding;
  const { from } = earliest === null ? lastRange(binding, byDefault) : { from: Math.min(earliest, now) };
  return { from, to: now, all: true };
}

function lastRange({ now, zone }: BindingScope, duration: Duration): TimeRange {
  return { from: Math.max(addDuration(now, duration, zone, -1), EARLIEST), to: now };
}

/** `from first to last`; null: to now. */
export function fromRange(binding: BindingScope, first: WhenNode, last: WhenNode | null): TimeRange {
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

function bindWhen(binding: BindingScope, when: WhenNode): number {
  const time = parseInstant(when.text, binding.zone);
  if (time === null) {
    return failAt(binding, when, 'expected a valid date or time', [
      ...hintsOfLength(when.text),
      'write 2026-01-31, 2026-01-31T10:00 or 2026-01-31T10:00:00Z',
    ]);
  }
  return time;
}
