import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { Child } from '../../bench/child.ts';

const PROGRAM = `
import { serveParent } from ${JSON.stringify(pathToFileURL(resolve('dist/bench/child.js')).href)};
serveParent(async ({ does }) => {
  if (does === 'exit') process.exit(3);
  if (does === 'throw') throw new Error('on purpose');
  if (does === 'leave') process.disconnect();
  return { did: does };
}, () => undefined);
`;

describe('a program of the bench in a process of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-child-'));
  const program = join(folder, 'program.mjs');
  writeFileSync(program, PROGRAM);
  after(() => rmSync(folder, { recursive: true }));

  const start = () => new Child<{ does: string }, { did: string }>('it', pathToFileURL(program));

  it('answers, and tells its errors', async () => {
    const child = start();
    expect(await child.request({ does: 'work' })).to.deep.equal({ did: 'work' });
    expect(await failure(child.request({ does: 'throw' }))).to.equal('it: on purpose');
    expect(await child.request({ does: 'more' })).to.deep.equal({ did: 'more' });
    await child.close();
    await child.close();
  });

  it('that ends fails what was asked and what is asked later, and can be closed', async () => {
    const child = start();
    for (const does of ['exit', 'work']) {
      expect(await failure(child.request({ does }))).to.equal('it: its process ended (3)');
    }
    await child.close();
  });

  it('that leaves fails what was asked', async () => {
    const child = start();
    expect(await failure(child.request({ does: 'leave' }))).to.equal('it: its process ended (0)');
    await child.close();
  });
});

function failure(asked: Promise<unknown>): Promise<string | null> {
  return asked.then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
}
