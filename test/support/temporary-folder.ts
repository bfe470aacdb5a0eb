import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made: string[] = [];

/** A new folder, deleted when the tests end. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-test-'));
  made.push(folder);
  return folder;
}

after(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});
