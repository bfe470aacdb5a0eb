/** The program of a peer's process. It times queries itself, so that no peer pays for the channel to the parent. */
import { serveParent } from '../child.ts';
import { openClickHouse } from './clickhouse.ts';
import { openDuckDb } from './duckdb.ts';
import type { OpenPeer, Peer, PeerAnswer, PeerName, PeerRequest, Row } from './peer.ts';

const OPEN: Readonly<Record<PeerName, OpenPeer>> = { duckdb: openDuckDb, clickhouse: openClickHouse };

let peer: Peer | undefined;

serveParent<PeerRequest, PeerAnswer>(
  async (request) => {
    const begun = performance.now();
    const rows = await answer(request);
    return { ms: performance.now() - begun, rows, rss: process.memoryUsage.rss() };
  },
  () => peer?.close(),
);

async function answer(request: PeerRequest): Promise<readonly Row[]> {
  if (request.kind === 'open') {
    peer = await OPEN[request.peer](request.folder, request.threads);
    return [];
  }
  if (!peer) throw new Error('the peer is not open');
  if (request.kind === 'ask') return peer.ask(request.statement);
  for (const statement of request.statements) await peer.run(statement);
  return [];
}
