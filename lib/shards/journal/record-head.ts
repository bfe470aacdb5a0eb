import type { IntakeRules } from '../../base/project.ts';
import { inflateAccepted } from '../../base/inflate.ts';
import type { AppendMessage } from '../writer-messages.ts';

/** What the journal stores of a record, besides its body. */
export interface RecordHead {
  readonly project: IntakeRules;
  /** The arrival number of the request; a shard with a later one already holds it. */
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  /** Compression of the body as received: what inflates a thousandfold must not be written inflated. Omitted if none. */
  readonly encoding?: AppendMessage['encoding'];
  /** Its `rules` are those under which the body was acknowledged; if omitted, the first rules. */
  readonly context: AppendMessage['context'];
}

/** `context`: in the form that the journal may keep. */
export function recordHead(
  { project, kind, encoding }: AppendMessage,
  arrival: number,
  context: RecordHead['context'],
): RecordHead {
  const { id, retentionDays, ipPolicy } = project;
  const packed = encoding === 'identity' ? {} : { encoding };
  return { project: { id, retentionDays, ipPolicy }, arrival, kind, ...packed, context };
}

/** Most bytes of a body in the journal: it was within the limit at the time. */
const MOST_UNPACKED = 1 << 30;

export function unpackedBody({ encoding }: RecordHead, body: Uint8Array): Uint8Array {
  return encoding === undefined ? body : inflateAccepted(new Uint8Array(body), encoding, MOST_UNPACKED);
}
