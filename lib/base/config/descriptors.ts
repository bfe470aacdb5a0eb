/** File descriptors of the process: how many there are, and how they are shared. */
import fs from 'node:fs';
import type { Config } from './config.ts';

/** If the system does not say: the least that most systems give. */
const USUAL = 1_024;
/** For the process itself: modules, control database, logs, listeners. */
const OWN = 96;
/** For a thread: its event loop, and files it opens briefly. */
const OF_THREAD = 16;
/** For an open shard: the file, its log, and what its connections share. */
const OF_SHARD = 3;
/** Shards that a query thread keeps open when descriptors are few, and when there are as many as most systems give. */
const READ_SHARDS = 16;
const MANY_READ_SHARDS = 32;
const MANY = 8_192;
/** The query thread for small queries, besides those of the settings. */
const SMALL_QUESTIONS = 1;
/** More connections than anyone needs would only take memory. */
const MOST_CONNECTIONS = 10_000;
const LEAST_OPEN_SHARDS = 4;

/**
 * Shares out `limit` descriptors: all but a quarter go to files first, so that clients never take what a thread needs. Client
 * connections at once, shard files that a query thread may have open, and a writer: fewer than wanted if descriptors are few.
 */
export function planDescriptors(
  limit: number,
  { threads, writers, openShards }: Pick<Config, 'threads' | 'writers' | 'openShards'>,
) {
  const readShards = limit < MANY ? READ_SHARDS : MANY_READ_SHARDS;
  const ofReaders = (threads + SMALL_QUESTIONS) * (readShards * OF_SHARD + OF_THREAD);
  const fixed = OWN + ofReaders + writers * OF_THREAD;
  const left = limit - fixed - writers * openShards * OF_SHARD;
  const connections = Math.min(MOST_CONNECTIONS, Math.max(Math.floor(limit / 4), left));
  const fitting = Math.floor((limit - connections - fixed) / (writers * OF_SHARD));
  return { connections, readShards, openShards: Math.max(LEAST_OPEN_SHARDS, Math.min(openShards, fitting)) };
}

/** Descriptors that the process may open. Node has already raised its limit as far as allowed. */
export function descriptorLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (soft === 'unlimited') return Infinity;
    return soft === undefined ? USUAL : Number(soft);
  } catch {
    return USUAL; // not Linux
  }
}
