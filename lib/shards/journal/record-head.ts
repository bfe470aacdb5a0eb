import type { IntakeRules } from '../../base/project.ts';
import { inflate } from '../../base/inflate.ts';
import type { AppendMessage } from '../writer-messages.ts';

/** What the journal says of a record, besides its body. */
export interface RecordHead {
  readonly project: IntakeRules;
  /** The arrival number of the request: a shard that holds later ones holds it. */
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  /** How the body is packed, as it came: what inflates a thousandfold must not be written so. Left out: not at all. */
  readonly encoding?: AppendMessage['encoding'];
  /** Its `rules` are those that the body was acknowledged under; left out: the first. */
  readonly context: AppendMessage['context'];
}

/** `context`: as the journal may keep it. */
export function recordHead(
  { project, kind, encoding }: AppendMessage,
  arrival: number,
  context: RecordHead['context'],
): RecordHead {
  const { id, retentionDays, ipPolicy } = project;
  const packed = encoding === 'identity' ? {} : { encoding };
  return { project: { id, retentionDays, ipPolicy }, arrival, kind, ...packed, context };
}

/** Of a body of the journal: it was within the limit of then. Bytes. */
const MOST_UNPACKED = 1 << 30;

/** The body of a record as it was before it was packed. */
export function unpackedBody({ encoding }: RecordHead, body: Uint8Array): Uint8Array {
  return encoding === undefined ? body : inflate(new Uint8Array(body), encoding, MOST_UNPACKED);
}
