/** One request while its events are read: what all of them share, and what it has brought so far. */
import type { IntakeRules } from '../../base/project.ts';
import type { DeviceBinding } from '../file/bindings.ts';
import type { Enriched, IngestOrigin, NormalIdentify } from '../event.ts';
import { type BatchRoot, eventContext, type EventContext } from './normalise/context.ts';
import type { Remarks } from './normalise/remarks.ts';
import type { FieldCode } from './rows/pending-field.ts';
import type { RequestContext } from '../request.ts';
import { dateOf, noCounts } from '../file/usage-counters.ts';
import { IdLooks } from './id-looks.ts';

export interface ProfileChange {
  /** Code of the user in the dictionary of ids. */
  readonly person: number;
  readonly change: NormalIdentify;
  /** The time of an identify, milliseconds since the epoch; null for an event's user_properties. */
  readonly seen: number | null;
}

type RemarkCounts = Pick<Remarks, 'timesReplaced' | 'fieldsIgnored' | 'valuesTrimmed' | 'idsIgnored'>;

export class RequestScope {
  readonly context: RequestContext;
  readonly enriched: Enriched;
  /** Day (UTC) of arrival, under which the counters count. */
  readonly date: string;
  readonly counts = noCounts();
  readonly profileChanges: ProfileChange[] = [];
  readonly bindings: DeviceBinding[] = [];
  readonly looks = new IdLooks();
  /** The request's own fields (browser, location, …) for events of each origin, looked up at the first such event. */
  readonly fieldCodes: Partial<Record<IngestOrigin, readonly FieldCode[]>> = {};
  event: EventContext;
  /** False for one that was acknowledged, and is read from the journal. */
  mayBeRefused = true;
  firstArrival = 0;
  firstRow = 0;
  readonly project: IntakeRules;

  constructor(context: RequestContext, project: IntakeRules, enriched: Enriched) {
    this.context = context;
    this.enriched = enriched;
    this.project = project;
    this.date = dateOf(context.receivedAt);
    this.event = eventContext(context, project);
  }

  setRoot(root: BatchRoot): void {
    this.event = eventContext(this.context, this.project, root);
    if (this.event.clockIgnored !== null) this.counts.timesReplaced++;
  }

  /** Counts what is told of an event or identify. */
  count({ timesReplaced, fieldsIgnored, valuesTrimmed, idsIgnored }: RemarkCounts): void {
    this.counts.timesReplaced += timesReplaced;
    this.counts.fieldsIgnored += fieldsIgnored;
    this.counts.trimmed += valuesTrimmed;
    this.counts.idsIgnored += idsIgnored;
  }

  /** Counts an event. Returns whether to keep it: not if it is older than its project keeps events. */
  keeps(time: number): boolean {
    this.counts.ingested++;
    if (time >= this.event.expiresBefore) return true;
    this.counts.dropped++;
    return false;
  }

  /** Drops what the body has brought so far; it will be read again in another way. */
  restart(): void {
    Object.assign(this.counts, noCounts());
    this.profileChanges.length = 0;
    this.bindings.length = 0;
    this.looks.restart();
  }

  /** Whether there is anything to keep or count; otherwise the journal need not record the request. */
  get kept(): boolean {
    const { ingested, rejected, timesReplaced } = this.counts;
    return (
      ingested > 0 || rejected > 0 || timesReplaced > 0 || this.profileChanges.length > 0 || this.bindings.length > 0
    );
  }
}
