/**
 * npm run mutants [-- --area NAME] [--file lib/dsl/order.js] [--each 40] [--seed 1]: changes the built program in one place at
 * a time and runs the tests of that area. A change that no test notices survives: it is printed, and the run fails unless
 * explained.json says why the program means the same with it.
 */
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { AREAS, type Area, type Tests } from './areas.ts';
import { mutantsOf, mutated, type Mutant } from './mutate.ts';

const FOLDER = path.join('.build', 'mutants');
const EXPLAINED = path.join('test', 'mutants', 'explained.json');
/** Copies of the program at work at once, and what one run of tests may take: a mutant may never end. Milliseconds. */
const COPIES = 2;
const PATIENCE = 120_000;

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

const copies = Array.from({ length: COPIES }, (_, nth) => copyOfProgram(path.join(FOLDER, String(nth))));
let unexplained = 0;
for (const area of areas) {
  for (const tests of area.tests) await mustPass(copies[0]!, tests);
  const survivors = await tryAll(area, chosenOf(area));
  for (const { file, place, line, becomes } of survivors) {
    const known = explained.find((one) => one.file === file && one.line === line && one.becomes === becomes);
    if (known === undefined) unexplained++;
    print(
      `  survived: ${place}\n    ${line}\n    ${becomes}${known === undefined ? '' : `\n    explained: ${known.why}`}\n`,
    );
  }
}
fs.rmSync(FOLDER, { recursive: true });
print(unexplained === 0 ? 'No unexplained survivor.\n' : `${unexplained} unexplained survivors.\n`);
process.exitCode = unexplained === 0 ? 0 : 1;

/** The mutants of an area, or a share of them that the seed picks. */
function chosenOf({ files }: Area): readonly Candidate[] {
  const all = fs
    .globSync([...files], { cwd: 'dist' })
    .filter((file) => options.file === undefined || file === options.file);
  const candidates = all.toSorted().flatMap((file) => {
    const source = fs.readFileSync(path.join('dist', file), 'utf8');
    return mutantsOf(source).map((mutant) => ({ ...mutant, file, source }));
  });
  return shuffled(candidates, Number(options.seed)).slice(0, Number(options.each));
}

async function tryAll(area: Area, candidates: readonly Candidate[]): Promise<readonly Survivor[]> {
  const survivors: Survivor[] = [];
  const waiting = [...candidates];
  let tried = 0;
  const work = async (copy: string): Promise<void> => {
    for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
      const noticed = await isNoticed(one, area, copy);
      if (!noticed) survivors.push(describe(one));
      tried++;
      if (process.stderr.isTTY) process.stderr.write(`\r${area.name}: ${tried} of ${candidates.length}`);
    }
  };
  await Promise.all(copies.map(work));
  if (process.stderr.isTTY) process.stderr.write('\r');
  print(`${area.name}: ${candidates.length - survivors.length} of ${candidates.length} noticed\n`);
  return survivors;
}

async function isNoticed(candidate: Candidate, { tests }: Area, copy: string): Promise<boolean> {
  const file = path.join(copy, candidate.file);
  fs.writeFileSync(file, mutated(candidate.source, candidate));
  try {
    for (const some of tests) if (!(await passes(copy, some)).ok) return true;
    return false;
  } finally {
    fs.writeFileSync(file, candidate.source);
  }
}

async function mustPass(copy: string, tests: Tests): Promise<void> {
  const { ok, output } = await passes(copy, tests);
  if (!ok) throw new Error(`the tests fail before anything is changed:\n${output.slice(-4_000)}`);
}

function passes(copy: string, { specs, grep }: Tests): Promise<{ ok: boolean; output: string }> {
  const args = [
    'node_modules/mocha/bin/mocha.js',
    '--no-config',
    '--bail',
    '--exit',
    '--reporter',
    'dot',
    '--timeout',
    '60000',
  ];
  args.push(
    ...specs.flatMap((spec) => ['--spec', path.join(copy, spec)]),
    ...(grep === undefined ? [] : ['--grep', grep]),
  );
  const child = spawn(process.execPath, args, {
    env: { ...process.env, WINDLASS_FUZZ_SEED: options.seed },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    killSignal: 'SIGKILL',
  });
  let output = '';
  const keep = (data: Buffer): string => (output = (output + data.toString()).slice(-10_000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ ok: code === 0, output }));
  });
}

function copyOfProgram(folder: string): string {
  fs.rmSync(folder, { recursive: true, force: true });
  for (const part of ['lib', 'test', 'bench'])
    fs.cpSync(path.join('dist', part), path.join(folder, part), { recursive: true });
  return folder;
}

/** Where it stands in the TypeScript, and the built line before and after. */
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

/** The same order for the same seed (Fisher and Yates, xorshift). */
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
