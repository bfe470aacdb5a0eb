/** Records of the files in test/fixtures/import. */
import { createReadStream, readFileSync } from 'node:fs';
import type { SourceRecord } from '../../../../lib/cli/import/format.ts';
import { recordsOf } from '../../../../lib/cli/import/records.ts';

const FOLDER = 'test/fixtures/import/';

export async function fixtureRecords(file: string): Promise<readonly SourceRecord[]> {
  const { lists } = await recordsOf(createReadStream(FOLDER + file));
  const records: SourceRecord[] = [];
  for await (const list of lists)
    for (const one of list) {
      if ('problem' in one) throw new Error(`${file} line ${one.line}: ${one.problem}`);
      records.push(one.record);
    }
  return records;
}

export function fixtureJson(file: string): unknown {
  return JSON.parse(readFileSync(FOLDER + file, 'utf8'));
}
