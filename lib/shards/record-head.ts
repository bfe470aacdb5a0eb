import type { AppendMessage } from './writer-messages.ts';

/** What the journal says of a record, besides its body. */
export interface RecordHead {
  readonly project: AppendMessage['project'];
  /** The arrival number of the request: a shard that holds later ones holds it. */
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  readonly context: AppendMessage['context'];
  /** The rules that the body was acknowledged under; left out: the first. */
  readonly rules?: number;
}
