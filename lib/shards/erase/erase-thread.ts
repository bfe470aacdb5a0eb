/** Entry of a thread that erases users from shards, or looks up what an erasure would reach. */
import { answerOf } from '../seal/answers.ts';
import type { Snapshot } from '../shard-reader.ts';
import { eraseFromShard, lookUpUser } from './erase-shard.ts';
import { guarded } from '../file/shard-file.ts';
import type { Answer } from '../writer-messages.ts';

export interface EraseTask {
  readonly op: 'look_up' | 'erase';
  readonly snapshot: Snapshot;
  readonly userId: string;
}

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run({ op, snapshot, userId }: EraseTask): Answer {
  const act = op === 'erase' ? eraseFromShard : lookUpUser;
  return answerOf(0, () => guarded(snapshot.project, () => act(snapshot, userId)));
}
