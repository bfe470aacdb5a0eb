/** Reads requests into the pending rows of their shards, and hands those that store something over to the journal. */
import { inflate } from '../../base/inflate.ts';
import type { Journal } from '../journal/journal.ts';
import { recordHead, type RecordHead } from '../journal/record-head.ts';
import { failure, stuckAlone } from '../seal/answers.ts';
import type { Answer, AppendMessage } from '../writer-messages.ts';
import type { Deferring } from './deferring.ts';
import type { GroupCommit, Taken } from './group-commit.ts';
import type { Sealing } from './sealing.ts';
import type { ShardSet } from './shard-set.ts';
import type { Slicing, UnderWay } from './slicing.ts';
import type { Taking } from './taking.ts';
import type { Unreplayed } from './unreplayed.ts';

/** Earlier requests do not wait for a body larger than this to be read. Bytes. */
export const LARGE = 64 << 10;

interface ReadingOptions {
  readonly shards: ShardSet;
  readonly journal: Journal<RecordHead>;
  readonly commits: GroupCommit;
  readonly taking: Taking;
  readonly slicing: Slicing;
  readonly deferring: Deferring;
  readonly sealing: Sealing;
  readonly unreplayed: Unreplayed;
  /** Bytes of a body that is not streamed, unpacked. */
  readonly bodyLimit: number;
  /** Posts the answers so far. */
  readonly answer: (answers: Answer[]) => void;
}

export class Reading {
  readonly #options: ReadingOptions;

  constructor(options: ReadingOptions) {
    this.#options = options;
  }

  /** Adds answers that need no disk; the others come once the request is on it. */
  read(message: AppendMessage, answers: Answer[]): void {
    const { slicing, taking, commits, sealing } = this.#options;
    try {
      const whole = slicing.take(message, () => this.#begin(message, answers));
      if (whole === null) return;
      const { value, taken: { shard, scope, body } } = whole; // prettier-ignore
      const rollback = (): void => shard.rollback(scope);
      if (!scope.kept) {
        rollback();
        answers.push({ id: message.id, ok: true, value });
        return;
      }
      const commit: Taken['commit'] = (recorded) => {
        const { ignored, bytes } = shard.commit(scope, recorded);
        sealing.took(shard, bytes);
        return ignored;
      };
      const head = recordHead(message, scope.firstArrival, taking.storedContext(message));
      const unpacked = body.byteLength - message.body.byteLength;
      commits.add({ message, value, unpacked, head, commit, rollback });
    } catch (error) {
      answers.push(failure(message.id, error));
    }
  }

  /** The same for one that `Deferring` admits. */
  defer(message: AppendMessage, answers: Answer[]): void {
    const { commits, journal, taking, sealing, deferring } = this.#options;
    try {
      sealing.checkRoom();
      journal.prepare();
      const { scope, value, commit, rollback } = deferring.check(message);
      if (!scope.kept) return void answers.push({ id: message.id, ok: true, value });
      const head = recordHead(message, scope.firstArrival, taking.storedContext(message));
      commits.add({ message, value, unpacked: 0, head, commit, rollback });
    } catch (error) {
      answers.push(failure(message.id, error));
    }
  }

  #begin(message: AppendMessage, answers: Answer[]): UnderWay {
    const { shards, journal, commits, taking, sealing, unreplayed, bodyLimit, answer } = this.#options;
    const { project, kind } = message;
    sealing.checkRoom();
    unreplayed.check(project.id);
    if (kind === 'unbind') commits.settle(project.id); // what it undoes may have just come
    journal.prepare();
    const shard = shards.get(project.id);
    if (sealing.isStuck(shard)) throw stuckAlone();
    const body = inflate(message.body, message.encoding, kind.endsWith('_lines') ? Infinity : bodyLimit);
    if (body !== message.body && body.byteLength > LARGE) answer(answers); // it was packed
    const scope = taking.scope(message);
    shard.tenant = project;
    return { shard, scope, body, steps: taking.take(kind, body, shard, scope) };
  }
}
