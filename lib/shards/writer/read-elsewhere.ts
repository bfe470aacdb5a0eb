/** Has the store thread read or index what would take long here, before a message is processed. */
import { failure } from '../seal/answers.ts';
import { unloaded, type Away } from './away.ts';
import { isLongCatalog } from '../read/catalog.ts';
import type { GroupCommit } from './group-commit.ts';
import { deviceOf, projectOf } from './held-back.ts';
import type { ShardSet } from './shard-set.ts';
import type { Lookup, WriterMessage, WriterReply } from '../writer-messages.ts';

export interface ReadElsewhereOptions {
  readonly shards: ShardSet;
  readonly away: Away;
  readonly commits: Pick<GroupCommit, 'settle'>;
  readonly post: (reply: WriterReply) => void;
}

/** A message about a project. */
type Asked = Exclude<WriterMessage, { op: 'close' }>;
type Failed = (error: unknown) => void;

export class ReadElsewhere {
  readonly #options: ReadElsewhereOptions;

  constructor(options: ReadElsewhereOptions) {
    this.#options = options;
  }

  /** Whether a message must wait for that; it is then delivered again. */
  reads(message: Asked): boolean {
    const failed = (error: unknown): void => {
      this.#options.post({ op: 'done', answers: [failure(message.id, error)] });
    };
    try {
      return this.#index(message, failed) || this.#bindings(message, failed);
    } catch (error) {
      failed(error);
      return true;
    }
  }

  /** Has a message answered with the names of a project, if there are very many. */
  readsCatalog({ id, project }: Lookup<'catalog'>, failed: (error: Error) => void): boolean {
    const { shards, away, post } = this.#options;
    const shard = shards.get(project.id);
    const rest = shard.catalogRest();
    if (!isLongCatalog(rest)) return false;
    const done = (value: unknown): void => post({ op: 'done', answers: [{ id, ok: true, value }] });
    away.run<'catalog'>(shard, { op: 'catalog', rest }, { done, failed });
    return true;
  }

  /** For a shard that was never indexed. */
  #index(message: Asked, failed: Failed): boolean {
    const { shards, away } = this.#options;
    const project = projectOf(message);
    if (!shards.lacksIndex(project)) return false;
    const shard = unloaded(project, message.op === 'append' ? message.project : undefined);
    away.run<'index'>(shard, { op: 'index' }, { done: () => undefined, failed, next: message });
    return true;
  }

  /** For a device, if the log of bindings is long. */
  #bindings(message: Asked, failed: Failed): boolean {
    const deviceId = deviceOf(message);
    if (deviceId === null) return false;
    const { shards, away, commits } = this.#options;
    const project = projectOf(message);
    commits.settle(project);
    const shard = shards.get(project);
    const device = shard.bindings.deviceToRead(deviceId);
    if (device === 0) return false;
    away.run<'bindings'>(
      shard,
      { op: 'bindings', device },
      { done: (bindings) => shard.bindings.take(device, bindings), failed, next: message },
    );
    return true;
  }
}
