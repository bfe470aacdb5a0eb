/** The ingest measurement: bulk uploads and batches against one thread's JSON.parse of the same bytes. */
import type { WindlassServer, Project } from '../windlass/server.ts';
import type { BatchResult } from './batches.ts';
import { loadBatches, loadBulk, measureParsing, type BatchOptions } from './load-client.ts';
import type { Target } from './process.ts';

export interface BulkLoad {
  readonly events: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly bindingsSeconds: number;
}

export interface Ingest {
  readonly batches: BatchResult;
  /** Events per second of JSON.parse on one thread: over the bodies of batches, and line by line. */
  readonly parseBatches: number;
  readonly parseLines: number;
}

/** Loads the data set as bulk uploads: events, then bindings. */
export async function bulkLoad(
  server: WindlassServer,
  project: Project,
  files: { events: string; bindings: string },
): Promise<BulkLoad> {
  const target = targetOf(server, project);
  const events = await loadBulk(target, '/track', files.events);
  const bindings = await loadBulk(target, '/identify', files.bindings);
  return { events: events.accepted, bytes: events.bytes, seconds: events.seconds, bindingsSeconds: bindings.seconds };
}

/** Sends batches to an empty project; runs JSON.parse before and after, so that drift of the machine cancels out. */
export async function measureIngest(server: WindlassServer, project: Project, options: BatchOptions): Promise<Ingest> {
  const before = await measureParsing(options);
  const batches = await loadBatches(targetOf(server, project), options);
  const after = await measureParsing(options);
  return {
    batches,
    parseBatches: (before.batches + after.batches) / 2,
    parseLines: (before.lines + after.lines) / 2,
  };
}

function targetOf(server: WindlassServer, project: Project): Target {
  return { host: server.host, port: server.port, key: project.secretKey };
}
