import { readFileSync, writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { AppError } from '../../lib/base/errors.ts';
import { monotonic } from '../../lib/base/monotonic.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { shardPath } from '../../lib/shards/file/shard-file.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { flipBit } from '../support/flip-bit.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const DAY = 86_400_000;
const DAMAGED = 'prj_damaged';
const GOOD = 'prj_good';
/** Seals of a project, one fewer than make a compaction due. */
const SEALS = 7;

const refOf = (id: string): ProjectRef => {
  return { id, orgId: 'org_test', weight: 1, retentionDays: 30, ipPolicy: 'none' };
};

/** A store, and the troubles that it reports in the background. */
async function open(folder: string): Promise<{ store: EventStore; troubles: string[] }> {
  const troubles: string[] = [];
  const store = await openSmallStore(folder, {
    projects: () => Promise.resolve([refOf(DAMAGED), refOf(GOOD)]),
    onTrouble: (error, what) => troubles.push(`${what}: ${error instanceof Error ? error.message : String(error)}`),
  });
  return { store, troubles };
}

async function send(store: EventStore, project: string, daysAgo: number): Promise<void> {
  const time = Date.now() - daysAgo * DAY;
  const body = new Uint8Array(Buffer.from(JSON.stringify({ event_type: 'e', user_id: 'ann', time })));
  const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
  // Without retention, so that old events are stored.
  const ref = { ...refOf(project), retentionDays: null };
  const sent = await store.append({ project: ref, kind: 'track', context, body, encoding: 'identity' });
  expect(sent).to.include({ accepted: 1 });
}

/** How many events the last days have; an error returns its code. Seals pending events. */
async function count(store: EventStore, project: string, days = 90): Promise<unknown> {
  const options = { now: Date.now() + 1, timezone: { project: 'UTC' }, limit: 100, offset: 0 };
  const { plan } = compileQuery(`e | last ${days}d | count`, options);
  try {
    const { table } = await store.query(refOf(project), plan, { deadline: monotonic() + 200_000 });
    return table.rows[0]?.[0];
  } catch (error) {
    if (error instanceof AppError) return error.data.code;
    throw error;
  }
}

/** Overwrites the page that lists the tables: even SQLite can no longer read the file. */
function spoilSchema(file: string): void {
  const bytes = readFileSync(file);
  bytes.fill(0xff, 100, 4096);
  writeFileSync(file, bytes);
}

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = monotonic() + 200_000;
  while (!(await holds())) {
    if (monotonic() > deadline) throw new Error(`never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

describe('housekeeping among shards of which one is damaged', () => {
  const tells = (troubles: readonly string[], what: string): boolean => {
    return troubles.some((trouble) => trouble.startsWith(what) && trouble.includes('damaged'));
  };

  it('drops what is too old of the others, and tells what it could not', async () => {
    const folder = temporaryFolder();
    for (const daysAgo of [40, 1]) {
      const { store } = await open(folder);
      for (const project of [DAMAGED, GOOD]) await send(store, project, daysAgo);
      await store.close(); // a segment for each
    }
    spoilSchema(shardPath(folder, DAMAGED));
    const { store, troubles } = await open(folder);
    await until(() => tells(troubles, 'events that are too old could not be dropped'), 'a word of the damage');
    await until(async () => (await count(store, GOOD)) === 1, 'the old event of the other is gone');
    expect(await count(store, DAMAGED)).to.equal('shard_damaged');
    await store.close();
  });

  it('compacts segments of the others, and leaves those that it cannot read, with all that is good in them', async () => {
    const folder = temporaryFolder();
    const { store: first } = await open(folder);
    for (let n = 0; n < SEALS; n++) {
      for (const project of [DAMAGED, GOOD]) {
        await send(first, project, n);
        expect(await count(first, project)).to.equal(n + 1);
      }
    }
    await first.close();
    // The persons of the first segment, which is from today.
    flipBit(shardPath(folder, DAMAGED), { table: 'columns', column: 'data', where: 'field = 1' });
    const { store, troubles } = await open(folder);
    for (const project of [DAMAGED, GOOD]) await send(store, project, SEALS);
    expect(await count(store, GOOD)).to.equal(SEALS + 1);
    await count(store, DAMAGED);
    await until(() => store.stats().compactions > 0, 'the segments of the other are compacted');
    await until(() => tells(troubles, 'segments could not be compacted'), 'a word of the damage');
    expect(await count(store, GOOD)).to.equal(SEALS + 1);
    await send(store, DAMAGED, 0);
    await store.close();
  });
});
