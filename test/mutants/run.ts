/**
 * npm run mutants [-- --area NAME] [--file lib/dsl/finish/order.js] [--each 40] [--seed 1]: changes the built program in one
 * place at a time and runs the tests of that area. A change that no test notices survives: it is printed, and the run fails
 * unless explained.json says why it leaves the program's meaning unchanged.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, type Area, type Tests } from './areas.ts';
import { mutantsOf, mutated, type Mutant } from './mutate.ts';

/** Of this run: several may run at once. */
const FOLDER = path.join('.build', 'mutants', String(process.pid));
const EXPLAINED = path.join('test', 'mutants', 'explained.json');
/** Copies of the program in use at once. */
const COPIES = 2;
/** A mutant may never end. It is stopped after so many times the duration of its tests without it, plus some milliseconds. */
const PATIENCE = { times: 4, more: 20_000 };

interface Explained {
  readonly file: string;
  /** The line of the built file, and what it became. */
  readonly line: string;
  readonly becomes: string;
  readonly why: string;
}

interface Candidate extends Mutant {
  readonly file: string;
  readonly source: string;
}

type End = 'passed' | 'failed' | 'stopped';

interface Survivor {
  readonly file: string;
  readonly place: string;
  readonly line: string;
  readonly becomes: string;
}

const { values: options } = parseArgs({
  options: {
    area: { type: 'string' },
    file: { type: 'string' },
    each: { type: 'string', default: '40' },
    seed: { type: 'string', default: '1' },
  },
});

const explained = JSON.parse(fs.readFileSync(EXPLAINED, 'utf8')) as readonly Explained[];
const areas = AREAS.filter(({ name }) => options.area === undefined || name === options.area);
if (areas.length === 0)
  throw new Error(`no area is called ${options.area}: ${AREAS.map(({ name }) => name).join(', ')}`);

for (const area of areas) mustExist(area);
const patiences = new Map<Tests, Promise<number>>();
const copies = Array.from({ length: COPIES }, (_, nth) => copyOfProgram(path.join(FOLDER, String(nth))));
let unexplained = 0;
for (const area of areas) {
  await tryAll(area, chosenOf(area));
}
fs.rmSync(FOLDER, { recursive: true });
print(unexplained === 0 ? 'No unexplained survivor.\n' : `${unexplained} unexplained survivors.\n`);
process.exitCode = unexplained === 0 ? 0 : 1;

/** The mutants of an area, or a sample chosen by the seed. */
function chosenOf({ files }: Area): readonly Candidate[] {
  const all = matched(files).filter((file) => options.file === undefined || file === options.file);
  const candidates = all.flatMap((file) => {
    const source = fs.readFileSync(path.join('dist', file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
  });
  return shuffled(candidates, Number(options.seed)).slice(0, Number(options.each));
}

async function tryAll(area: Area, candidates: readonly Candidate[]): Promise<void> {
  const waiting = [...candidates];
  let tried = 0;
  let survived = 0;
  let stopped = 0;
  const work = async (copy: string): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const end = await endOf(one, area, copy);
      if (end === 'passed') {
        survived++;
        tell(describe(one));
      }
      if (end === 'stopped') stopped++;
      tried++;
      if (process.stderr.isTTY) process.stderr.write(`\r${area.name}: ${tried} of ${candidates.length}`);
    }
  };
  await Promise.all(copies.map(work));
  if (process.stderr.isTTY) process.stderr.write('\r');
  print(`${area.name}: ${tried - survived} of ${tried} noticed, ${stopped} of them as they did not end\n`);
}

function tell({ file, place, line, becomes }: Survivor): void {
  const known = explained.find((one) => one.file === file && one.line === line && one.becomes === becomes);
  if (known === undefined) unexplained++;
  const why = known === undefined ? '' : `    explained: ${known.why}\n`;
  print(`  survived: ${place}\n    ${line}\n    ${becomes}\n${why}`);
}

/** How the area's tests end with that change: 'passed' means that none notices it. */
async function endOf(candidate: Candidate, { tests }: Area, copy: string): Promise<End> {
  const file = path.join(copy, candidate.file);
  for (const some of tests) {
    const patience = await patienceFor(some, copy); // before the change
    fs.writeFileSync(file, mutated(candidate.source, candidate));
    const { end } = await runTests(copy, some, patience).finally(() => fs.writeFileSync(file, candidate.source));
    if (end !== 'passed') return end;
  }
  return 'passed';
}

/** How long the tests may take, in milliseconds. Throws if they fail without any change: they would notice everything. */
function patienceFor(tests: Tests, copy: string): Promise<number> {
  const known = patiences.get(tests);
  if (known !== undefined) return known;
  const measured = measure(tests, copy);
  patiences.set(tests, measured);
  return measured;
}

async function measure(tests: Tests, copy: string): Promise<number> {
  const start = performance.now();
  const { end, output } = await runTests(copy, tests, 0);
  if (end !== 'passed') throw new Error(`the tests fail before anything is changed:\n${output.slice(-4_000)}`);
  return Math.ceil(PATIENCE.times * (performance.now() - start)) + PATIENCE.more;
}

/** The built files that match the patterns, sorted. Throws if a pattern matches none: the file has moved. */
function matched(patterns: readonly string[]): readonly string[] {
  const files = patterns.flatMap(alternatives).flatMap((pattern) => {
    const found = fs.globSync(pattern, { cwd: 'dist' });
    if (found.length === 0) throw new Error(`areas.ts names ${pattern}, which is not there`);
    return found;
  });
  return [...new Set(files)].toSorted();
}

/** `a/{b,c}.js` → `a/b.js`, `a/c.js`: each must exist. */
function alternatives(pattern: string): readonly string[] {
  const [, before, middle, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? [];
  if (middle === undefined) return [pattern];
  return middle.split(',').flatMap((one) => alternatives(`${before}${one}${after}`));
}

function mustExist({ files, tests }: Area): void {
  matched(files);
  for (const { specs } of tests) matched(specs);
}

/** @param patience Milliseconds; 0: no limit. */
function runTests(copy: string, { specs, grep }: Tests, patience: number): Promise<{ end: End; output: string }> {
  const args = [
    'node_modules/mocha/bin/mocha.js',
    '--no-config',
    '--fail-zero',
    '--bail',
    '--exit',
    '--reporter',
    'dot',
    '--timeout',
    '60000',
  ];
  args.push(
    ...matched(specs).flatMap((spec) => ['--spec', path.join(copy, spec)]),
    ...(grep === undefined ? [] : ['--grep', grep]),
  );
  const child = spawn(process.execPath, args, {
    env: { ...process.env, WINDLASS_FUZZ_SEED: options.seed },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: patience,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const keep = (data: Buffer): string => (output = (output + data.toString()).slice(-10_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) =>
      resolve({ end: child.killed ? 'stopped' : code === 0 ? 'passed' : 'failed', output }),
    );
  });
}

/** Leaves out bundles, which would not change with their modules. */
function copyOfProgram(folder: string): string {
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync('dist', folder, { recursive: true, filter: (file) => file !== path.join('dist', 'bundle') });
  return folder;
}

/** Its position in the TypeScript, and the built line before and after. */
function describe({ file, source, ...mutant }: Candidate): Survivor {
  const after = mutated(source, mutant);
  const at = source.lastIndexOf('\n', mutant.start - 1) + 1;
  const line = source.slice(at, source.indexOf('\n', mutant.end));
  const becomes = after.slice(at, after.indexOf('\n', mutant.start + mutant.text.length));
  const map = new SourceMap(JSON.parse(fs.readFileSync(path.join('dist', `${file}.map`), 'utf8')));
  const row = source.slice(0, mutant.start).split('\n').length - 1;
  const found = map.findEntry(row, mutant.start - at);
  const original = 'originalLine' in found ? found.originalLine + 1 : '?';
  return { file, place: `${file.replace(/\.js$/, '.ts')}:${original}`, line: line.trim(), becomes: becomes.trim() };
}

/** Always the same order for the same seed (Fisher and Yates, xorshift). */
function shuffled<T>(items: readonly T[], seed: number): readonly T[] {
  const result = [...items];
  let state = (seed * 0x9e3779b9) | 1;
  for (let at = result.length - 1; at > 0; at--) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    const other = (state >>> 0) % (at + 1);
    [result[at], result[other]] = [result[other]!, result[at]!];
  }
  return result;
}

function print(text: string): void {
  process.stdout.write(text);
}
