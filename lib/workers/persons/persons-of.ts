/** The persons of some events, segment by segment: read from what is cached for whole types. */
import type { EventName } from '../../dsl/plan/plan.ts';
import type { QueryContext } from '../query-context.ts';
import { segmentsOf } from '../scheduler.ts';
import { typeEvents } from './type-events.ts';

/** Of all segments that the plan reads, in this part or another. @param events Names: any event has no list. */
export function* personsOf(events: readonly EventName[], context: QueryContext): Iterable<Uint32Array> {
  const { plan, reader, snapshot } = context;
  for (const event of new Set(events)) {
    const code = event === null ? 0 : reader.eventTypes().find(event);
    for (const { id } of code === 0 ? [] : segmentsOf(plan, snapshot)) {
      context.checkpoint();
      yield typeEvents(reader.segment(id), code, context.identity()).persons;
    }
  }
}
