// Runs groups of test files, each in its own mocha process, several at a time, and adds up the results. Counts every test; also
// every process that dies, hangs, or does not end by itself, as a failure of its own.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRequire } from 'node:module';
import { ROOT } from './root.mjs';

/** Minutes that a process may be silent: each test that begins or ends is a word from it. */
const PATIENCE = Number(process.env.WINDLASS_TEST_PATIENCE ?? 20);
/** Milliseconds from the last test to the end of the process: an open server or timer keeps it alive. */
const LEAVING = 120_000;
/** Where Linux keeps files in memory, and the bytes that must be free there. */
const MEMORY = '/dev/shm';
const MEMORY_NEEDED = 2 ** 31;
/** Characters kept of its output. */
const MOST_OUTPUT = 2 ** 20;

/**
 * @param groups `{name, files, args, inMemory}`, in the order in which they start; `args` for mocha is optional. `inMemory`:
 *   temporary files need no disk
 * @param options.jobs processes at a time
 * @param options.args for mocha, in all groups
 * @returns the exit code
 */
export async function runGroups(groups, { jobs, args }) {
  const before = performance.now();
  const results = [];
  const waiting = [...groups];
  /** Processes with their temporary folders. */
  const running = new Map();
  const stopAll = (signal) => {
    for (const [child, folder] of running) end(child, folder);
    process.exit(signal === 'SIGINT' ? 130 : 143);
  };
  process.once('SIGINT', stopAll).once('SIGTERM', stopAll);
  const work = async () => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      const result = await runGroup(group, { args, shown: groups.length === 1, running });
      results.push(result);
      if (groups.length > 1) printGroup(result);
    }
  };
  await Promise.all(Array.from({ length: Math.min(jobs, groups.length) }, work));
  process.off('SIGINT', stopAll).off('SIGTERM', stopAll);
  return printSum(results, performance.now() - before);
}

async function runGroup(group, { args: shared, shown, running }) {
  const args = [...shared, ...(group.args ?? [])];
  const before = performance.now();
  const folder = mkdtempSync(join(group.inMemory && hasMemory() ? MEMORY : tmpdir(), 'windlass-tests-'));
  const child = spawn(process.execPath, mochaArguments(group, args), {
    cwd: ROOT,
    env: { ...compileCache(), ...process.env, TMPDIR: folder, ...(shown ? { WINDLASS_TEST_SHOW: '1' } : {}) },
    stdio: ['ignore', shown ? 'inherit' : 'pipe', shown ? 'inherit' : 'pipe', 'ipc'],
    detached: process.platform !== 'win32', // a process group, to end it with everything it started
  });
  running.set(child, folder);
  const said = listen(child);
  const how = await endOf(child, said);
  running.delete(child);
  end(child, folder);
  // When tests are selected by title, a process may find none; it is still a failure if no process finds any.
  const found = args.length === 0 || !said.ended || said.passed + said.failures.length > 0;
  const trouble = found ? troubleOf(how, said) : null;
  if (trouble !== null) said.failures.push({ title: [`Process of ${group.name}`, ...said.current], errors: [trouble] });
  return { group, seconds: (performance.now() - before) / 1000, ...said };
}

/** Where Node caches compiled code; the cache would hide lines from coverage. */
function compileCache() {
  return process.env.NODE_V8_COVERAGE ? {} : { NODE_COMPILE_CACHE: join(tmpdir(), 'node-compile-cache') };
}

/** Ends a process with everything it started, and removes its folder. */
function end(child, folder) {
  kill(child);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}

function hasMemory() {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > MEMORY_NEEDED;
}

function mochaArguments({ files }, args) {
  const mocha = join(ROOT, 'node_modules/mocha/bin/mocha.js');
  const own = ['--require', join(ROOT, 'scripts/test-seed.mjs'), '--reporter', join(ROOT, 'scripts/reporter.cjs')];
  return [mocha, ...own, ...args, ...files];
}

/** Collects what a process reports as it reports it. */
function listen(child) {
  const said = { passed: 0, failures: [], current: [], ended: false, output: '' };
  child.on('message', (message) => {
    if (message.begun) said.current = message.begun;
    if (message.passed) said.passed++;
    if (message.failed) said.failures.push(message.failed);
    if (message.ended) said.ended = true;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => (said.output = (said.output + text).slice(-MOST_OUTPUT)));
  }
  return said;
}

/** How it ended: `{code, signal}`, or `killed`, the reason why it had to be killed. */
async function endOf(child, said) {
  let killed = null;
  const end = (reason) => {
    killed = reason;
    kill(child);
  };
  const patience = setTimeout(end, PATIENCE * 60_000, `nothing was heard of it for ${PATIENCE} minutes`);
  let leaving;
  child.on('message', ({ ended }) => {
    patience.refresh();
    if (ended)
      leaving = setTimeout(end, LEAVING, 'something that its tests left open kept it alive after the last one');
  });
  // 'close' comes after the last message and the last output.
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', (...how) => resolve(how));
  });
  clearTimeout(patience);
  clearTimeout(leaving);
  if (said.ended) said.current = [];
  return { code, signal, killed };
}

/** What is wrong with how a process ended, as an error; null if nothing is. */
function troubleOf({ code, signal, killed }, { failures, ended }) {
  if (killed !== null) return plainError(`ended by force: ${killed}`);
  if (signal !== null) return plainError(`died of ${signal}`);
  if (!ended) return plainError(`ended with exit code ${code} before its tests did`);
  return code !== 0 && failures.length === 0 ? plainError(`ended with exit code ${code}`) : null;
}

function plainError(message) {
  return { message, stack: '', showDiff: false };
}

/** Kills a process with everything it started. */
function kill({ pid }) {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // it has already ended
  }
}

function printGroup({ group, seconds, passed, failures, output }) {
  const sum = failures.length === 0 ? `${passed} passed` : `${passed} passed, ${failures.length} FAILED`;
  process.stdout.write(`${seconds.toFixed(1).padStart(6)} s  ${group.name}: ${sum}\n`);
  if (output !== '') process.stdout.write(output.replace(/^(?=.)/gm, '          '));
}

/** Prints all failures and the counts; the file that WINDLASS_TEST_SUMMARY names gets the counts and short failures. */
function printSum(results, ms) {
  const passed = results.reduce((sum, result) => sum + result.passed, 0);
  const failures = results.flatMap((result) => result.failures);
  if (failures.length > 0) printFailures(failures);
  const none = passed + failures.length === 0;
  process.stdout.write(`\n  ${passed} passing (${(ms / 1000).toFixed(0)} s)\n`);
  if (failures.length > 0) process.stdout.write(`  ${failures.length} failing\n`);
  if (none) process.stdout.write('  No test has run\n');
  const file = process.env.WINDLASS_TEST_SUMMARY;
  if (file)
    writeFileSync(file, JSON.stringify({ passed, failures: none ? ['No test has run'] : failures.map(inShort) }));
  return none || failures.length > 0 ? 1 : 0;
}

/** Where it failed and the message, without the compared values. */
function inShort({ title, errors }) {
  return [title.join(' > '), ...errors.map(({ message }) => message)].join('\n    ');
}

/** Prints as mocha does, which may not be installed yet when this loads. */
function printFailures(failures) {
  const { reporters } = createRequire(import.meta.url)('mocha');
  reporters.Base.list(failures.flatMap(({ title, errors }) => errors.map((err) => ({ err, titlePath: () => title }))));
}
