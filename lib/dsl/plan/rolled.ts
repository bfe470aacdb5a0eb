/** Plans with `rolling` or `cumulative`. */
import type { TimeRange } from '../time/units.ts';
import { firstBegin, type Rolling } from '../time/windows.ts';
import { zoneOf } from './columns.ts';
import type { AggregatePlan, FormulaPlan, SessionsPlan, UsersPlan } from './plan.ts';

/** The plan with a window for each bucket of `shown`; it reads what lies before that, too. */
export function rolledOver<P extends AggregatePlan | FormulaPlan | SessionsPlan | UsersPlan>(
  plan: P,
  of: Omit<Rolling, 'shown'>,
  shown: TimeRange,
): P {
  const bucket = plan.groups.find((group) => group.kind === 'bucket');
  if (bucket === undefined) throw new Error('windows without a bucket');
  const zone = zoneOf(plan);
  const begins = (of.spans ?? [of.span]).map((span) => firstBegin(shown, span, bucket.unit, zone));
  return { ...plan, range: { ...shown, from: Math.min(shown.from, ...begins) }, rolling: { ...of, shown } };
}
