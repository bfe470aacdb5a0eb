/**
 * JSON that the scanner leaves to JSON.parse → events and identifies as they are stored. Here, if it is short; what is large may take
 * a second, and is read on the store thread.
 */
import type { IntakeRules } from '../../../base/project.ts';
import type { NormalEvent, NormalIdentify } from '../../event.ts';
import type { RequestContext } from '../../request.ts';
import { type BatchRoot, type EventContext, eventContext } from './context.ts';
import { parseBatch, parseJson, parseJsonObject } from './body.ts';
import { type Invalid, normaliseEvent } from './event.ts';
import { normaliseIdentify } from './identify.ts';
import { Remarks } from './remarks.ts';

/** An event or identify as it is stored, or why it is not; and what is told of it. */
export interface ReadJson<T> {
  readonly value: T | Invalid;
  readonly remarks: Omit<Remarks, keyof Methods>;
}

type Methods = { [K in keyof Remarks as Remarks[K] extends (...args: never[]) => unknown ? K : never]: Remarks[K] };

/** What to read, and by which rules. */
export type JsonSource =
  /** A whole body: a batch of at most `most` events, or one event. */
  | {
      readonly kind: 'batch';
      readonly bytes: Uint8Array;
      readonly context: RequestContext;
      readonly project: IntakeRules;
      readonly most: number;
    }
  | Part<'event'>
  | Part<'identify'>
  /** A whole body. */
  | Part<'identify_body'>;

/** An event of a batch, or a line of a stream. */
interface Part<Kind extends string> {
  readonly kind: Kind;
  readonly bytes: Uint8Array;
  readonly context: EventContext;
}

export interface ReadResults {
  readonly batch: { readonly root: BatchRoot; readonly events: readonly ReadJson<NormalEvent>[] };
  readonly event: ReadJson<NormalEvent>;
  readonly identify: ReadJson<NormalIdentify>;
  readonly identify_body: ReadJson<NormalIdentify>;
}

/** Throws AppError `bad_json`, or what `parseBatch` and `parseObject` throw. */
export function readJsonSource(source: JsonSource): ReadResults[JsonSource['kind']] {
  switch (source.kind) {
    case 'batch': {
      const { events, root } = parseBatch(source.bytes, source.most);
      const context = eventContext(source.context, source.project, root);
      return { root, events: Array.from(events, (sent) => normalised(normaliseEvent, sent, context)) };
    }
    case 'event':
      return normalised(normaliseEvent, parseJson(source.bytes, 'The line'), source.context);
    case 'identify':
      return normalised(normaliseIdentify, parseJson(source.bytes, 'The line'), source.context);
    case 'identify_body':
      return normalised(normaliseIdentify, parseJsonObject(source.bytes, IDENTIFY_BODY), source.context);
  }
}

const IDENTIFY_BODY = '{"user_id": …, "device_id": …, "user_properties": { … }}';

function normalised<T>(
  normalise: (sent: unknown, context: EventContext, remarks: Remarks) => T | Invalid,
  sent: unknown,
  context: EventContext,
): ReadJson<T> {
  const remarks = new Remarks();
  return { value: normalise(sent, context, remarks), remarks };
}
