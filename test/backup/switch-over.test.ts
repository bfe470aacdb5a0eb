import fs from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { commitRestore, finishRestore, isRestoring, PARTIAL } from '../../lib/backup/switch-over.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const TIME = '2026-01-31T03-00-00-000Z';

function put(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, content] of Object.entries(files)) {
    fs.mkdirSync(join(folder, name, '..'), { recursive: true });
    fs.writeFileSync(join(folder, name), content);
  }
}

/** The content of every file below a folder, by path. */
function contents(folder: string): Record<string, string> {
  const files = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  return Object.fromEntries(
    files.map((entry) => {
      const file = join(entry.parentPath, entry.name);
      return [file.slice(folder.length + 1), fs.readFileSync(file, 'utf8')];
    }),
  );
}

/** A folder with old data, and a complete restore that does not count yet. */
function prepared(): string {
  const folder = temporaryFolder();
  put(folder, { 'control.db': 'old', 'control.db-wal': 'old', secret: 'old', 'shards/a.db': 'old', lock: 'lock' });
  put(join(folder, PARTIAL), { 'control.db': 'new', secret: 'new', 'shards/b.db': 'new', 'journal/w': 'new' });
  return folder;
}

const DONE = {
  'control.db': 'new',
  secret: 'new',
  'shards/b.db': 'new',
  'journal/w': 'new',
  lock: 'lock',
  [`replaced-${TIME}/control.db`]: 'old',
  [`replaced-${TIME}/control.db-wal`]: 'old',
  [`replaced-${TIME}/secret`]: 'old',
  [`replaced-${TIME}/shards/a.db`]: 'old',
};

describe('a restore that is cut off', () => {
  it('leaves the old data before it counts', () => {
    const folder = prepared();
    expect(isRestoring(folder)).to.equal(false);
    expect(finishRestore(folder)).to.equal(null);
    expect(contents(folder)).to.deep.equal({
      ...{ 'control.db': 'old', 'control.db-wal': 'old', secret: 'old', 'shards/a.db': 'old', lock: 'lock' },
    });
  });

  it('is ended by the next who comes after any number of its steps', () => {
    for (let steps = 0; ; steps++) {
      const folder = prepared();
      commitRestore(folder, TIME);
      const whole = stoppedAfter(steps, () => finishRestore(folder));
      if (!whole) {
        expect(isRestoring(folder), `after ${steps} renames`).to.equal(true);
        finishRestore(folder);
      }
      expect(contents(folder), `after ${steps} renames`).to.deep.equal(DONE);
      expect(isRestoring(folder)).to.equal(false);
      if (!whole) continue;
      expect(steps).to.be.above(7);
      return;
    }
  });
});

/** Runs until the call after so many renames, as if killed there. Returns whether it finished. */
function stoppedAfter(renames: number, run: () => void): boolean {
  const { renameSync } = fs;
  let left = renames;
  fs.renameSync = (from, to): void => {
    if (left-- === 0) throw new Error('killed');
    renameSync(from, to);
  };
  try {
    run();
    return true;
  } catch (error) {
    if (error instanceof Error && error.message === 'killed') return false;
    throw error;
  } finally {
    fs.renameSync = renameSync;
  }
}
