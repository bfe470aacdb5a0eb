/** File descriptors of the process: how many there are, and how they are shared. */
import fs from 'node:fs';
import type { Config } from './config.ts';
import { ConfigError } from './setting-source.ts';

/** For the process itself: modules, control database, logs, listeners. */
const OWN = 96;
/** For a thread: its event loop, and files it opens briefly. */
const OF_THREAD = 16;
/** For an open shard: the file, its log, and what its connections share. */
const OF_SHARD = 3;
/** More connections than anyone needs would only take memory. */
const MOST_CONNECTIONS = 10_000;
const LEAST_OPEN_SHARDS = 4;
/** What a thread takes with nothing to spare, as measured, and what a service needs to be of use. */
const LEAST_OF_THREAD = 8;
const LEAST_CONNECTIONS = 16;

type Threads = Pick<Config, 'threads' | 'writers'>;

/**
 * Shares out `limit` descriptors: all but a quarter go to files first, so that clients never take what a thread needs. Client
 * connections at once, shard files that a query thread may have open, and a writer: fewer than wanted if descriptors are few.
 */
export function planDescriptors(limit: number, { threads, writers, openShards }: Threads & Pick<Config, 'openShards'>) {
  const readers = threads + 1; // and one for small queries
  const spared = Math.min(Math.floor(limit / 4), limit - leastForFiles({ threads, writers }));
  const quarter = Math.max(LEAST_CONNECTIONS, Math.min(spared, MOST_CONNECTIONS));
  const threadsAlone = OWN + (readers + writers) * OF_THREAD;
  const forReaders = limit - quarter - threadsAlone - writers * LEAST_OPEN_SHARDS * OF_SHARD;
  // Half of them for each where a query thread has as many others beside it.
  const wanted = limit < 8_192 ? 16 : 32;
  const readShards = Math.max(1, Math.min(wanted, Math.floor(forReaders / (readers * OF_SHARD))));
  const fixed = threadsAlone + readers * readShards * OF_SHARD;
  const left = limit - fixed - writers * openShards * OF_SHARD;
  const connections = Math.min(MOST_CONNECTIONS, Math.max(quarter, left));
  const fitting = Math.floor((limit - connections - fixed) / (writers * OF_SHARD));
  return { connections, readShards, openShards: Math.max(LEAST_OPEN_SHARDS, Math.min(openShards, fitting)) };
}

/** With fewer descriptors than this, requests would fail for want of one. */
export function leastDescriptors(threads: Threads): number {
  return leastForFiles(threads) + LEAST_CONNECTIONS;
}

function leastForFiles({ threads, writers }: Threads): number {
  const readers = threads + 1; // and one for small queries
  const ofShards = (readers + writers * LEAST_OPEN_SHARDS) * OF_SHARD;
  return OWN + (readers + writers) * LEAST_OF_THREAD + ofShards;
}

/** Throws a ConfigError if the system is known to give too few descriptors for the embedded store. */
export function checkDescriptors(config: Threads, limit = knownLimit()): void {
  const least = leastDescriptors(config);
  if (limit === null || limit >= least) return;
  throw new ConfigError(
    `ulimit -n: the process may open ${limit} files, and needs at least ${least} with ${config.threads} thread${config.threads === 1 ? '' : 's'} for queries. ` +
      'Raise it (LimitNOFILE in systemd), or lower WINDLASS_THREADS.',
  );
}

/** Descriptors that the process may open. Node has already raised its limit as far as allowed. */
export function descriptorLimit(): number {
  return knownLimit() ?? 1_024; // the least that most systems give
}

function knownLimit(): number | null {
  try {
    const soft = /^Max open files\s+(\d+|unlimited)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (soft === 'unlimited') return Infinity;
    return soft === undefined ? null : Number(soft);
  } catch {
    return null; // not Linux
  }
}
