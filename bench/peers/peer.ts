/** A database to compare Windlass with. Each runs alone in its own process (peers/process.ts). */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Child } from '../child.ts';

export type Cell = string | number | boolean | null | Cell[];
export type Row = Cell[];

export const PEER_NAMES = ['duckdb', 'clickhouse'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export interface Peer {
  /** Runs one statement without an answer. */
  run(statement: string): Promise<void>;
  /** Runs one query: its rows as arrays of plain values, in the answer's order. */
  ask(statement: string): Promise<Row[]>;
  close(): void;
}

/** Opens the database in `folder` (created if missing) with that many threads. */
export type OpenPeer = (folder: string, threads: number) => Promise<Peer>;

export type PeerRequest =
  | { kind: 'open'; peer: PeerName; folder: string; threads: number }
  | { kind: 'run'; statements: string[] }
  | { kind: 'ask'; statement: string };

/** `ms`: time of the work alone. `rss`: the process's memory afterwards, bytes. */
export interface PeerAnswer {
  ms: number;
  rows: readonly Row[];
  rss: number;
}

export type PeerProcess = Child<PeerRequest, PeerAnswer>;

/** Starts a fresh process with the database in `folder` open. */
export async function openPeer(peer: PeerName, folder: string, threads: number): Promise<PeerProcess> {
  const child: PeerProcess = new Child(peer, new URL('./process.js', import.meta.url));
  await child.request({ kind: 'open', peer, folder, threads });
  return child;
}

/**
 * Requires a package of bench/package.json: these are installed separately in bench/node_modules, where the built files do not
 * look for them. Commands of the bench run in the project's root.
 */
export const requirePeer = createRequire(resolve('bench/package.json'));
