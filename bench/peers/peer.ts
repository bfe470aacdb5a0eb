/** A database that Windlass is measured beside. Each one runs alone in a process of its own (peers/process.ts). */
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { Child } from '../child.ts';

export type Cell = string | number | boolean | null | Cell[];
export type Row = Cell[];

export const PEER_NAMES = ['duckdb', 'clickhouse'] as const;
export type PeerName = (typeof PEER_NAMES)[number];

export interface Peer {
  /** Runs one statement that answers nothing. */
  run(statement: string): Promise<void>;
  /** Runs one question: its rows as arrays of plain values, in the order of the answer. */
  ask(statement: string): Promise<Row[]>;
  close(): void;
}

/** Opens the database in `folder` (made where there is none) with that many threads. */
export type OpenPeer = (folder: string, threads: number) => Promise<Peer>;

export type PeerRequest =
  | { kind: 'open'; peer: PeerName; folder: string; threads: number }
  | { kind: 'run'; statements: string[] }
  | { kind: 'ask'; statement: string };

/** `ms`: time of the work alone. `rss`: bytes of memory of the process afterwards. */
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
 * Requires a package of bench/package.json: those are installed apart in bench/node_modules, out of sight of the built
 * files' own resolution. Commands of the bench run in the project's root.
 */
export const requirePeer = createRequire(resolve('bench/package.json'));
