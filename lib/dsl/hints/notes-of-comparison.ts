/** Notes on the earlier range that `compare` looks at. */
import { zoneOf } from '../plan/columns.ts';
import { traitsOf } from '../plan/plan-traits.ts';
import type { Plan } from '../plan/plan.ts';
import { shownRange } from '../plan/shown-range.ts';
import { countBuckets, lastLabels } from '../time/buckets.ts';
import { formatTime } from '../time/format-time.ts';

/** Buckets that a note names. */
const MOST_BUCKETS = 5;

/** `Compared with 2026-10-01T00:00:00.000Z to 2026-11-01T00:00:00.000Z.` */
export function notesOfComparison(plan: Plan): readonly string[] {
  const zone = zoneOf(plan);
  return plan.tableStages.flatMap((stage) => {
    if (stage.kind !== 'compare') return [];
    const { from, to } = stage.range;
    const units = [...new Set(traitsOf(plan).buckets)].filter((unit) => unit !== null);
    const leftOut = units.flatMap((unit) => {
      const beyond = countBuckets(stage.range, unit, zone) - countBuckets(shownRange(plan), unit, zone);
      if (beyond <= 0) return [];
      const named = lastLabels(stage.range, beyond, unit, zone).slice(0, MOST_BUCKETS).join(', ');
      const more = beyond - MOST_BUCKETS;
      return [`It has more ${unit}s than the present range; left out: ${named}${more > 0 ? ` and ${more} more` : ''}.`];
    });
    return [[`Compared with ${formatTime(from, zone)} to ${formatTime(to, zone)}.`, ...leftOut].join(' ')];
  });
}
