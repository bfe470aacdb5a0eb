import type { IntakeRules } from '../project.ts';
import type { AppendMessage } from './writer-messages.ts';

/** What the journal says of a record, besides its body. */
export interface RecordHead {
  readonly project: IntakeRules;
  /** The arrival number of the request: a shard that holds later ones holds it. */
  readonly arrival: number;
  readonly kind: AppendMessage['kind'];
  /** Its `rules` are those that the body was acknowledged under; left out: the first. */
  readonly context: AppendMessage['context'];
}

/** `context`: as the journal may keep it. */
export function recordHead(
  { project, kind }: AppendMessage,
  arrival: number,
  context: RecordHead['context'],
): RecordHead {
  const { id, retentionDays, ipPolicy } = project;
  return { project: { id, retentionDays, ipPolicy }, arrival, kind, context };
}
