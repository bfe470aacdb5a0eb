/**
 * The log of erased users and deleted projects: in the data folder, and at every folder or bucket that was backed up to, so that
 * no restore brings erased users back. Comparing files shows what a target lacks, so a crash loses nothing.
 */
import { kept } from '../base/kept.ts';
import { fileSize } from '../base/files/file-size.ts';
import fs from 'node:fs';
import path from 'node:path';
import PQueue from 'p-queue';
import type { BucketAccess } from '../buckets/access.ts';
import type { BackupTarget, BackupTargets } from '../control/operator/backup-targets.ts';
import { shardError } from '../shards/file/shard-file.ts';
import { encodeEntry, type ErasureEntry, type ErasureHash } from './entry.ts';
import type { Erasures } from './erasures.ts';
import { LogFileBytes } from './log-bytes.ts';
import { appendLines, ERASURE_LOG, logProblem, readBytes, type LogCopy } from './log-file.ts';
import { messageOf } from '../base/errors.ts';
import { openBucket } from '../buckets/bucket.ts';
import { namesBucket } from '../base/bucket-location.ts';
import { BucketLog } from './bucket-log.ts';
import { TargetFile } from './target-file.ts';

/** Most devices, or blocks of arrival numbers, in one line, and more bytes than it has then. */
const DEVICES = 1_000;
const BLOCKS = 10;
const LONGEST_LINE = 131_072;

interface Teller {
  info(fields: object, text: string): void;
  error(fields: object, text: string): void;
}

interface Parts {
  /** The data folder. */
  readonly data: string;
  readonly hash: ErasureHash;
  readonly targets: Pick<BackupTargets, 'list' | 'synced'>;
  /** null: no key to buckets is set. */
  readonly buckets: BucketAccess | null;
  readonly log: Teller;
}

interface Target {
  /** null: it was not tried yet. */
  copy: LogCopy | null;
  /** The attempt in progress, which may never end. */
  running: Promise<void> | null;
  failing: boolean;
}

export class ErasureLog implements Erasures {
  readonly #parts: Parts;
  readonly #file: string;
  readonly #patience: number;
  /** Targets written to at once: a network folder that hangs blocks a thread of the file system's pool. */
  readonly #queue = new PQueue({ concurrency: 2 });
  readonly #known = new Map<string, Target>();
  /** Projects already logged: their removal may be tried many times. */
  readonly #deleted = new Set<string>();
  #timer: NodeJS.Timeout | null = null;

  /** @param patience Milliseconds that an answer waits for a target, once. */
  constructor(parts: Parts, patience = 5_000) {
    this.#parts = parts;
    this.#patience = patience;
    this.#file = path.join(parts.data, ERASURE_LOG);
  }

  /** On the data folder's disk when it returns; call before erasing anything. Throws errors of the file system. */
  userErased(projectId: string, userId: string, of: { devices: readonly string[]; upTo: number }): void {
    const { hash } = this.#parts;
    const about = {
      kind: 'user',
      at: Date.now(),
      project: hash('', projectId),
      user: hash(projectId, userId),
    } as const;
    const hashes = of.devices.map((device) => hash(projectId, device));
    const entries: ErasureEntry[] = [];
    for (let i = 0; i === 0 || i < hashes.length; i += DEVICES)
      entries.push({ ...about, devices: hashes.slice(i, i + DEVICES), upTo: of.upTo });
    this.#append(entries);
  }

  /** The same for events: texts of an `ArrivalSet`. */
  eventsDeleted(projectId: string, arrivals: readonly string[]): void {
    const about = { kind: 'events', at: Date.now(), project: this.#parts.hash('', projectId) } as const;
    const entries: ErasureEntry[] = [];
    for (let i = 0; i < arrivals.length; i += BLOCKS)
      entries.push({ ...about, arrivals: arrivals.slice(i, i + BLOCKS) });
    this.#append(entries);
  }

  /** The same for a project. */
  projectDeleted(projectId: string): void {
    if (this.#deleted.has(projectId)) return;
    this.#append([{ kind: 'project', at: Date.now(), project: this.#parts.hash('', projectId) }]);
    this.#deleted.add(projectId);
  }

  /** Resolves once every target has what was logged, or could not be reached and will be retried. */
  async reach(): Promise<void> {
    const targets = await this.#targets();
    const waiting = targets.flatMap((target) => {
      const { failing } = this.#stateOf(target.path);
      const running = this.#bring(target);
      return failing ? [] : [running]; // do not wait again for a target known to be away
    });
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<void>((resolve) => (timer = setTimeout(resolve, this.#patience)));
    await Promise.race([Promise.all(waiting), patience]);
    clearTimeout(timer);
    for (const { path: folder } of targets) {
      const state = this.#stateOf(folder);
      if (state.running !== null) this.#failed(folder, state, 'it does not answer'); // a network folder may hang forever
    }
  }

  /** Retries what failed, also in an earlier run or in `wl admin`. Tells of a damaged log. */
  watch(): void {
    const problem = logProblem(this.#file);
    if (problem !== null) this.#parts.log.error({ file: this.#file, problem }, 'the log of erasures is damaged');
    void this.#look();
    this.#timer = setInterval(() => void this.#look(), 15_000).unref(); // between two checks for what targets lack
  }

  async #look(): Promise<void> {
    try {
      for (const target of await this.#targets()) void this.#bring(target);
    } catch (error) {
      this.#parts.log.error({ err: error }, 'cannot read which backups lack erasures; it will be retried');
    }
  }

  close(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
  }

  /** How many targets lack something, and the time of the oldest missing entry: milliseconds since the epoch. */
  async behind(): Promise<{ readonly targets: number; readonly since: number | null }> {
    const lacking = (await this.#targets()).filter(({ synced }) => this.#lacks(synced));
    if (lacking.length === 0) return { targets: 0, since: null };
    const from = Math.min(...lacking.map(({ synced }) => (synced < this.#bytes ? synced : 0)));
    const log = new LogFileBytes(this.#file);
    const [oldest] = readBytes(log.subarray(from, Math.min(log.length, from + LONGEST_LINE))).entries;
    return { targets: lacking.length, since: oldest?.at ?? null };
  }

  #targets(): Promise<readonly BackupTarget[]> {
    return this.#parts.targets.list(fs.realpathSync(this.#parts.data));
  }

  /** Whether a target with so many bytes of the log may lack some. A shorter log is another one than the target had. */
  #lacks(synced: number): boolean {
    return synced !== this.#bytes;
  }

  get #bytes(): number {
    return fileSize(this.#file);
  }

  #append(entries: readonly ErasureEntry[]): void {
    try {
      appendLines(this.#file, entries.map(encodeEntry).join(''));
    } catch (error) {
      throw shardError(error) ?? error;
    }
  }

  #stateOf(target: string): Target {
    return kept(this.#known, target, () => ({ copy: null, running: null, failing: false }));
  }

  /** Never rejects. */
  #bring({ path: folder, synced }: BackupTarget): Promise<void> {
    const state = this.#stateOf(folder);
    if (state.running !== null) return state.running.then(() => this.#afterwards(folder));
    if (!this.#lacks(synced)) return Promise.resolve();
    const running = this.#queue.add(() => this.#try(folder, state));
    state.running = running.finally(() => (state.running = null));
    return state.running;
  }

  /** What was logged during an attempt may have come too late for it. */
  async #afterwards(folder: string): Promise<void> {
    try {
      const target = (await this.#targets()).find((each) => each.path === folder);
      if (target !== undefined && !this.#stateOf(folder).failing) await this.#bring(target);
    } catch (error) {
      this.#failed(folder, this.#stateOf(folder), messageOf(error)); // the control database cannot be read now
    }
  }

  async #try(folder: string, state: Target): Promise<void> {
    const { data, targets, buckets, log } = this.#parts;
    try {
      const all = new LogFileBytes(this.#file);
      await (state.copy ??= logCopyAt(folder, buckets)).bring(all);
      await targets.synced(fs.realpathSync(data), folder, all.length);
      if (state.failing) log.info({ backup: folder }, 'the log of erasures at this backup is complete again');
      state.failing = false;
    } catch (error) {
      this.#failed(folder, state, messageOf(error));
    }
  }

  #failed(folder: string, state: Target, reason: string): void {
    if (state.failing) return;
    state.failing = true;
    const fields = { backup: folder, reason };
    this.#parts.log.error(fields, 'erasures cannot be written to the log at a backup; they will be retried');
  }
}

/** Other targets wait for one that does not answer, which is retried anyway. Milliseconds. */
const BUCKET_PATIENCE = { attempt: 60_000, pauses: [1_000] };

/** `access`: null if no key is set; then a bucket throws AppError. */
function logCopyAt(target: string, access: BucketAccess | null): LogCopy {
  return namesBucket(target)
    ? new BucketLog(openBucket(target, access, BUCKET_PATIENCE))
    : new TargetFile(path.join(target, ERASURE_LOG));
}
