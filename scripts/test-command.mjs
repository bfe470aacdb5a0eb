// The options of the commands that run tests.
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { groupsOf, matchingTests } from './test-files.mjs';
import { runGroups } from './test-run.mjs';

const OPTIONS = {
  spec: { type: 'string', multiple: true, default: [] },
  grep: { type: 'string', short: 'g' },
  fgrep: { type: 'string', short: 'f' },
  invert: { type: 'boolean', short: 'i' },
  timeout: { type: 'string', short: 't' },
  jobs: { type: 'string', short: 'j' },
};

/**
 * Runs the test files that the command line names, else all of them. Returns the exit code.
 * @param jobsAtATime processes at a time; by default two more than there are processors: tests also wait, for files and for each
 *   other's answers
 */
export async function testCommand(all, jobsAtATime = availableParallelism() + 2) {
  const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
  const { spec, jobs = jobsAtATime, ...forMocha } = values;
  const patterns = [spec, positionals].flat();
  const files = patterns.length > 0 ? matchingTests(patterns, all) : all;
  if (files.length === 0) {
    process.stderr.write(`No test file has ${patterns.join(' or ')} in its name\n`);
    return 1;
  }
  const args = Object.entries(forMocha).map(([name, value]) => (value === true ? `--${name}` : `--${name}=${value}`));
  return runGroups(groupsOf(files), { jobs: Number(jobs), args });
}
