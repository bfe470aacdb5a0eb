import type { AppendMessage } from './writer-messages.ts';

/** What the journal says of a record, besides its body. */
export interface RecordHead {
  readonly project: AppendMessage['project'];
  /** The arrival number of the request: a shard that holds later ones holds it. */
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  /** Its `rules` are those that the body was acknowledged under; left out: the first. */
  readonly context: AppendMessage['context'];
}
