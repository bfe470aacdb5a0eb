import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { cliPage } from '../../scripts/cli-page.ts';
import { cliSession } from '../../scripts/cli-session.ts';
import { wlInside } from '../cli/run-inside.ts';

describe('docs/cli.md', () => {
  it('has the help of every command, and what a session prints', async () => {
    const page = await cliPage(async (words) => (await wlInside([...words, '--help'])).stdout, await cliSession());
    expect(readFileSync('docs/cli.md', 'utf8'), 'run `npm run docs`').to.equal(page);
  });
});
