/** A store on ClickHouse with the limits of the tests. */
import type { Access } from '../../../lib/clickhouse/client.ts';
import { ClickHouseStore, type ClickHouseStoreOptions } from '../../../lib/clickhouse/store.ts';
import type { AppendRequest, EventStore } from '../../../../lib/store/event-store.ts';
import type { WorldRequest } from '../../../../test/oracle/world.ts';
import { wireJson } from '../../../../test/support/wire-json.ts';
import { outcomeOf } from '../../../../test/support/refusal.ts';

export function openStore(access: Access, given: Partial<ClickHouseStoreOptions> = {}): ClickHouseStore {
  const limits = {
    bodyLimit: 5 << 20,
    batchLimit: 2_000,
    lineLimit: 1 << 20,
    geoipFile: null,
    writers: 1,
    turns: null,
    queryMemory: 1 << 30,
    queryGroups: 1_000_000,
    onTrouble: fail,
  };
  return new ClickHouseStore({ access, ...limits, queueBytes: 64 << 20, ...given });
}

/** Events as a batch, received now. */
export function batch(project: string, events: readonly object[], receivedAt = Date.now()): AppendRequest {
  return {
    project: { id: project, orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' },
    kind: 'track',
    context: { receivedAt, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    body: new Uint8Array(Buffer.from(JSON.stringify({ events }))),
    encoding: 'identity',
  };
}

/** Sends a request of a world; the answer. `lines`: as a stream. */
export async function send(to: EventStore, project: string, request: WorldRequest, lines = false): Promise<unknown> {
  const { project: ref, context } = batch(project, [], request.at);
  if ('unbind' in request) return to.unbindDevice(ref, request.unbind);
  const kind = 'track' in request ? 'track' : 'identify';
  if (lines) {
    const stream = to.bulk(ref, kind, context);
    const values = 'track' in request ? request.track : [request.identify];
    const text = Buffer.from(values.map((value) => `${wireJson(value)}\n`).join(''));
    await stream.write([new Uint8Array(text.subarray(0, 7))]);
    await stream.write([new Uint8Array(text.subarray(7))]);
    return stream.end();
  }
  const body = wireJson('track' in request ? { events: request.track } : request.identify);
  const append: AppendRequest = {
    project: ref,
    kind,
    context,
    body: new Uint8Array(Buffer.from(body)),
    encoding: 'identity',
  };
  return outcomeOf(to.append(append));
}

function fail(error: unknown): never {
  throw error;
}
