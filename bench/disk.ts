/**
 * Where the bytes of a data folder go: by table, and for columns by column.
 *
 *   node dist/bench/disk.js --events 1000000     loads the bench's data set into a server, waits until it is idle
 *   node dist/bench/disk.js --shard FILE         of an existing shard
 */
import { readdirSync, statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import Database from 'better-sqlite3';
import { COLUMN, CORE_COLUMNS } from '../lib/shards/segment/columns.ts';
import { shardPath } from '../lib/shards/file/shard-file.ts';
import { prepareDataSet } from './data-set.ts';
import { folderBytes, removeFolder, temporaryFolder } from './folder.ts';
import { DATASET_DEFAULTS } from './generate.ts';
import { sendBulk } from './ingest/bulk.ts';
import { WindlassServer } from './windlass/server.ts';
import { settled } from './windlass/settled.ts';

interface Share {
  readonly name: string;
  readonly bytes: number;
}

const CORE_NAMES = new Map<number, string>([
  ...Object.entries(CORE_COLUMNS).map(([key, field]) => [field, key] as const),
  [COLUMN.time, 'time'],
  [COLUMN.arrival, 'arrival'],
  [COLUMN.insertId, 'insert_id'],
  [COLUMN.hours, 'hours'],
  [COLUMN.insertFilter, 'filter of insert ids'],
  [COLUMN.received, 'received'],
  [COLUMN.triples, 'triples'],
]);

const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '1000000' },
    data: { type: 'string', default: 'bench/.cache' },
    shard: { type: 'string' },
  },
});
if (values.shard === undefined) await measureLoaded(Number(values.events), values.data);
else print(sharesOf(values.shard), statSync(values.shard).size);

async function measureLoaded(events: number, data: string): Promise<void> {
  const dataSet = prepareDataSet({ ...DATASET_DEFAULTS, events, data, reference: undefined }, console.error);
  const folder = temporaryFolder();
  try {
    const server = await WindlassServer.start(folder, 2);
    let running = true;
    try {
      const empty = await server.createProject('empty');
      const project = await server.createProject('disk');
      const target = { host: server.host, port: server.port, key: project.secretKey };
      const { seconds, accepted } = await sendBulk(target, '/track', dataSet.events);
      console.log(`${accepted} events in ${seconds.toFixed(1)} s, memory ${mebibytes(server.memory())}`);
      const one = JSON.stringify({ event_type: 'one', user_id: 'u', insert_id: '0123456789abcdef' });
      const headers = { 'X-API-Key': empty.secretKey, 'Content-Type': 'application/json' };
      await fetch(`http://${server.host}:${server.port}/track`, { method: 'POST', headers, body: one });
      await settled(server);
      await server.stop();
      running = false;
      print(sharesOf(shardPath(folder, project.id)), statSync(shardPath(folder, project.id)).size);
      console.log(`a project of one event  ${statSync(shardPath(folder, empty.id)).size}`);
    } finally {
      if (running) await server.stop();
    }
    for (const entry of readdirSync(folder)) {
      const { size } = statSync(`${folder}/${entry}`);
      console.log(
        `${entry}  ${statSync(`${folder}/${entry}`).isDirectory() ? folderBytes(`${folder}/${entry}`) : size}`,
      );
    }
    console.log(`whole folder  ${folderBytes(folder)}, ${(folderBytes(folder) / events).toFixed(2)} an event`);
  } finally {
    removeFolder(folder);
  }
}

/** Bytes of each table and index in pages, and of column values by column. */
function sharesOf(file: string): readonly Share[] {
  const database = new Database(file, { readonly: true });
  try {
    const columns = database
      .prepare<[], { field: number; bytes: number }>(
        `SELECT max(c.field, -1) AS field, sum(length(c.data)) AS bytes FROM columns c
         JOIN segments s ON s.id = c.segment WHERE s.live = 1 GROUP BY 1 ORDER BY 2 DESC`,
      )
      .all();
    const keys = new Map(
      database
        .prepare<[], { id: number; key: string }>('SELECT id, key FROM fields')
        .all()
        .map(({ id, key }) => [id, key]),
    );
    const nameOf = (field: number): string =>
      field < 0 ? 'rows of types' : (CORE_NAMES.get(field) ?? keys.get(field) ?? String(field));
    const dictionaries = database
      .prepare<[], { field: number; bytes: number }>(
        'SELECT field, sum(length(data)) AS bytes FROM dictionaries GROUP BY 1 ORDER BY 2 DESC',
      )
      .all();
    const { rows, segments, live } = database
      .prepare<[], { rows: number; segments: number; live: number }>(
        'SELECT sum(rows * live) AS rows, count(*) AS segments, sum(live) AS live FROM segments',
      )
      .get()!;
    const free = Number(database.pragma('freelist_count', { simple: true }));
    const page = Number(database.pragma('page_size', { simple: true }));
    return [
      { name: `rows (of ${live} live segments, ${segments} in all)`, bytes: rows },
      ...columns.map(({ field, bytes }) => ({ name: `column ${nameOf(field)}`, bytes })),
      ...dictionaries.map(({ field, bytes }) => ({ name: `dictionary ${nameOf(field)}`, bytes })),
      ...tableBytes(database),
      { name: 'pages that are free', bytes: free * page },
    ];
  } finally {
    database.close();
  }
}

/** Bytes of the values of each table; anything but BLOBs and texts counts as 4. */
function tableBytes(database: Database.Database): Share[] {
  const tables = database
    .prepare<[], string>("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .pluck()
    .all();
  return tables.map((name) => {
    const columns = database
      .prepare<[string], string>('SELECT name FROM pragma_table_info(?)')
      .pluck()
      .all(name)
      .map(
        (column) =>
          `coalesce(CASE WHEN typeof("${column}") IN ('blob', 'text') THEN length("${column}") ELSE 4 END, 0)`,
      );
    const sql = `SELECT coalesce(sum(${columns.join(' + ')}), 0) FROM "${name}"`;
    return { name: `table ${name}`, bytes: Number(database.prepare(sql).pluck().get()) };
  });
}

function print(shares: readonly Share[], fileBytes: number): void {
  const rows = Math.max(1, shares[0]!.bytes);
  for (const { name, bytes } of [...shares, { name: 'the file', bytes: fileBytes }]) {
    console.log(`${name.padEnd(40)} ${String(bytes).padStart(12)}  ${(bytes / rows).toFixed(3).padStart(8)}`);
  }
}

function mebibytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(0)} MiB`;
}
