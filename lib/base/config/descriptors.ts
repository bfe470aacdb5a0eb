/** File descriptors of the process: how many there are, and who may have them. */
import fs from 'node:fs';

/** Where the system does not say: what most give at least. */
const USUAL = 1_024;
/** Of the process itself: modules, control database, logs, listeners. */
const OWN = 96;
/** Of a thread: its event loop, and files it opens for a moment. */
const OF_THREAD = 16;
/** Of an open shard: the file, its log, and what its connections share. */
const OF_SHARD = 3;
/** Shards that a query thread has open where descriptors are few, and where there are as many as most systems give. */
const READ_SHARDS = 16;
const MANY_READ_SHARDS = 32;
const MANY = 8_192;
/** Besides the query threads of the settings: that of small questions. */
const SMALL_QUESTIONS = 1;
/** More connections than anyone needs here take memory. */
const MOST_CONNECTIONS = 10_000;
const LEAST_OPEN_SHARDS = 4;

export interface Threads {
  readonly threads: number;
  readonly writers: number;
  /** Shard files that one writer has open. */
  readonly openShards: number;
}

export interface DescriptorPlan {
  /** Connections of clients at once. */
  readonly connections: number;
  /** Shard files that one writer may have open: fewer than asked where descriptors are few. */
  readonly openShards: number;
  /** Shard files that one query thread may have open. */
  readonly readShards: number;
}

/** Shares out `limit` descriptors: files first, but for a quarter, so that clients never take what a thread needs. */
export function planDescriptors(limit: number, { threads, writers, openShards }: Threads): DescriptorPlan {
  const readShards = limit < MANY ? READ_SHARDS : MANY_READ_SHARDS;
  const ofReaders = (threads + SMALL_QUESTIONS) * (readShards * OF_SHARD + OF_THREAD);
  const fixed = OWN + ofReaders + writers * OF_THREAD;
  const left = limit - fixed - writers * openShards * OF_SHARD;
  const connections = Math.min(MOST_CONNECTIONS, Math.max(Math.floor(limit / 4), left));
  const fitting = Math.floor((limit - connections - fixed) / (writers * OF_SHARD));
  return { connections, readShards, openShards: Math.max(LEAST_OPEN_SHARDS, Math.min(openShards, fitting)) };
}

/** Descriptors that the process may have open. Node has raised its own limit as far as it may. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (soft === 'unlimited') return Infinity;
    return soft === undefined ? USUAL : Number(soft);
  } catch {
    return USUAL; // no Linux
  }
}
