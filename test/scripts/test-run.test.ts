import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { runProgram } from '../cli/run-program.ts';
import type { Finished } from '../cli/run-wl.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const RUNNER = JSON.stringify(pathToFileURL('scripts/test-run.mjs').href);

interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly counts: { readonly passed: number; readonly failed: number };
  /** What `.ci/run` prints at its end. */
  readonly sum: string;
}

/** Runs files of `ends/`, each in its own process. */
async function run(names: readonly string[], env: Record<string, string> = {}): Promise<Run> {
  const folder = temporaryFolder();
  const summary = join(folder, 'tests.json');
  const groups = names.map((name) => ({ name, files: [`test/scripts/ends/${name}.cjs`] }));
  const code = `import { runGroups } from ${RUNNER};
    process.exitCode = await runGroups(${JSON.stringify(groups)}, { jobs: 4, args: [] });`;
  const ended = await runProgram(process.execPath, ['--input-type=module', '-e', code], {
    env: { PATH: process.env['PATH'] ?? '', WINDLASS_TEST_SUMMARY: summary, ...env },
  });
  expect(ended.stderr).to.equal('');
  const { passed, failures } = JSON.parse(readFileSync(summary, 'utf8')) as { passed: number; failures: string[] };
  const sum = await sumUp(folder);
  expect(sum.code, sum.stdout).to.equal(ended.code);
  return { code: ended.code, stdout: ended.stdout, counts: { passed, failed: failures.length }, sum: sum.stdout };
}

/** What `.ci/run` prints last, for one run. */
function sumUp(folder: string): Promise<Finished> {
  const env = { PATH: process.env['PATH'] ?? '' };
  return runProgram(process.execPath, ['scripts/ci-sum.mjs', folder, 'tests'], { env });
}

describe('the run of tests in several processes', () => {
  it('passes when all tests pass and all processes end by themselves', async () => {
    const { code, counts, sum } = await run(['passes', 'passes']);
    expect([code, counts]).to.deep.equal([0, { passed: 2, failed: 0 }]);
    expect(sum).to.equal('2 passed, 0 failed\n');
  });

  it('fails with a process that exits early, dies, has no tests, or has chosen some, and says which', async () => {
    const { code, stdout, counts, sum } = await run(['passes', 'exits', 'aborts', 'has-none', 'chooses']);
    expect([code, counts], stdout).to.deep.equal([1, { passed: 2, failed: 4 }]);
    expect(stdout)
      .to.match(/Process of exits\s+a process\s+exits with 0 in a test:\s+ended with exit code 0 before its tests did/)
      .and.match(/Process of aborts\s+a process\s+aborts:\s+died of SIGKILL/)
      .and.match(/Process of has-none:\s+ended with exit code 1/)
      .and.match(/Process of chooses:\s+ended with exit code \d before/)
      .and.include('`.only` forbidden');
    expect(sum)
      .to.include('tests: Process of aborts > a process > aborts\n    died of SIGKILL\n')
      .and.match(/\n2 passed, 4 failed\n$/);
  });

  it('fails when a summary is not there, as of tests that did not build', async () => {
    const sum = await sumUp(temporaryFolder());
    expect([sum.code, sum.stdout]).to.deep.equal([1, 'tests: did not get to its end\n0 passed, 1 failed\n']);
  });

  it('fails with a process that hangs in a test, or is kept alive after the last', async () => {
    const { code, stdout, counts } = await run(['hangs', 'leaves-open'], { WINDLASS_TEST_PATIENCE: '0.2' });
    expect([code, counts], stdout).to.deep.equal([1, { passed: 2, failed: 2 }]);
    expect(stdout).to.match(/Process of hangs\s+a process\s+never comes back:\s+ended by force/);
    expect(stdout).to.match(/Process of leaves-open:\s+ended by force/);
  });

  it('lists failures at the end with both sides and causes; tests left for later and hooks that fail are failures', async () => {
    const { code, stdout, counts } = await run(['passes', 'fails']);
    expect([code, counts], stdout).to.deep.equal([1, { passed: 2, failed: 4 }]);
    expect(stdout.slice(stdout.indexOf('1) ')))
      .to.match(/-.*left side.*\n.*\+.*right side/)
      .and.match(/what was seen[^]*Caused by: Error: what it came from/)
      .and.include('Pending test forbidden')
      .and.include('the hook fails')
      .and.match(/2 passing \(\d+ s\)\n {2}4 failing\n$/);
  });
});
