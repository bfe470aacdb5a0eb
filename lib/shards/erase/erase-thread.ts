/** Entry of a thread that erases users and events from shards, or looks up what an erasure would reach. */
import { yieldToOthers } from '../../base/thread-priority.ts';
import { answerOf } from '../seal/answers.ts';
import type { Snapshot } from '../shard-reader.ts';
import { eraseFromShard, finishErasure, lookUpUser, type Erasable } from './erase-shard.ts';
import { guarded } from '../file/shard-file.ts';
import type { WriterAnswer } from '../writer-messages.ts';

export type EraseTask =
  | { readonly op: 'look_up'; readonly snapshot: Snapshot; readonly userId: string }
  | { readonly op: 'erase'; readonly snapshot: Snapshot; readonly what: Erasable }
  | { readonly op: 'finish'; readonly file: string };

yieldToOthers('little'); // its project waits; all others go first

// oxlint-disable-next-line import/no-default-export -- Piscina calls the default export
export default function run(task: EraseTask): WriterAnswer {
  if (task.op === 'finish') return answerOf(0, () => guarded(task.file, () => finishErasure(task.file)));
  const act = (): unknown =>
    task.op === 'erase' ? eraseFromShard(task.snapshot, task.what) : lookUpUser(task.snapshot, task.userId);
  return answerOf(0, () => guarded(task.snapshot.project, act));
}
