/** What an import leaves in the data folder when it is killed. */
import fs from 'node:fs';
import path from 'node:path';
import type { ControlDatabase } from '../control/database.ts';
import { shardPath } from '../shards/file/shard-file.ts';
import { partialsOf, removePartials } from './series.ts';

/** In the folder of an import: id of the project whose file may be in place before its rows are. */
export const PLACING = 'placing';

/** Removes what killed imports left in a data folder. */
export async function removeHalfImports(data: string, control: ControlDatabase): Promise<void> {
  const target = path.join(data, 'import');
  for (const partial of partialsOf(target)) {
    const note = path.join(partial, PLACING);
    const id = fs.existsSync(note) ? fs.readFileSync(note, 'utf8') : '';
    // An empty note was cut off before the file was moved.
    if (id !== '' && (await control.projects.find(id)) === null) fs.rmSync(shardPath(data, id), { force: true });
  }
  removePartials(target);
}
