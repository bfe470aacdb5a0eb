/** The data set of a run: generated once, then reused from the folder of earlier runs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { writeDataset } from './generate.ts';
import type { BenchOptions } from './options.ts';

export interface DataSet {
  /** Folder of this data set, with its files and the databases loaded with it. */
  readonly folder: string;
  readonly events: string;
  readonly bindings: string;
  readonly bytes: number;
}

/** What identifies a data set, and where it is. */
export type DataSetOptions = Pick<BenchOptions, 'events' | 'seed' | 'late' | 'duplicates' | 'data' | 'reference'>;

export function prepareDataSet(options: DataSetOptions, log: (line: string) => void): DataSet {
  const { events, seed, late, duplicates, reference } = options;
  const name = `${reference === undefined ? 'own' : 'reference'}-${events}-${seed}-${late}-${duplicates}`;
  const folder = resolve(options.data, name);
  const files = { events: join(folder, 'events.ndjson'), bindings: join(folder, 'bindings.ndjson') };
  if (!existsSync(files.events)) {
    log(`generating ${events} events in ${folder}`);
    mkdirSync(folder, { recursive: true });
    const partial = { events: `${files.events}.part`, bindings: files.bindings };
    if (reference === undefined) writeDataset({ events, seed, late, duplicates }, partial);
    else runReference(reference, options, partial);
    renameSync(partial.events, files.events); // so that a half-written file is not taken for a data set
  }
  return { folder, ...files, bytes: statSync(files.events).size };
}

function runReference(reference: string, options: DataSetOptions, files: { events: string; bindings: string }): void {
  const numbers = [
    ['--events', options.events],
    ['--seed', options.seed],
    ['--late', options.late],
    ['--duplicates', options.duplicates],
  ] as const;
  const args = numbers.flatMap(([name, value]) => [name, String(value)]);
  execFileSync(
    process.execPath,
    [join(reference, 'generate.mjs'), ...args, '--out', files.events, '--bindings', files.bindings],
    {
      stdio: ['ignore', 'ignore', 'inherit'],
    },
  );
}
