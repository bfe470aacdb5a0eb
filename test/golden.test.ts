import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import type { CompiledPlans } from './support/compile.ts';
import type { GoldenFile } from './support/golden-file.ts';
import { expectedLines, goldenNames, readGolden, runGolden, type Outcome } from './support/golden-run.ts';
import type { Answer } from './oracle/table.ts';
import type { World, WorldRequest } from './oracle/world.ts';
import { atEnds } from './support/at-ends.ts';
import { PartsSubject } from './support/parts-subject.ts';
import type { Turn } from './support/shard-play.ts';
import { PLAIN, StoreSubject, type Segmenting } from './support/store-subject.ts';
import { oracleSubject, type Subject } from './support/subject.ts';
import { wireJson } from './support/wire-json.ts';

// Cases of one world are adjacent, so that it is loaded once: queries change nothing.
const files = goldenNames()
  .map((name) => ({ name, golden: readGolden(name) }))
  .map((file) => ({ ...file, world: wireJson(file.golden.world) }))
  .sort((a, b) => (a.world < b.world ? -1 : Number(a.world > b.world)));

describe('golden files, answered by the oracle', () => {
  const subject = oracleSubject();
  for (const { name, golden } of files) {
    it(`${name}: ${golden.title}`, async () => {
      const outcome = await runGolden(golden, subject);
      expectOutcome(outcome, golden, expectedLines(golden));
      const says = golden.expected.kind === 'error' ? golden.expected.says : [];
      for (const text of says) expect(outcome.message).to.contain(text);
    });
  }
});

const SEGMENTINGS: readonly { readonly name: string; readonly segmenting: Segmenting }[] = [
  { name: 'from one segment', segmenting: PLAIN },
  { name: 'from a segment a request', segmenting: { ...PLAIN, queryEvery: 1 } },
];

function answersAll(how: string, open: () => Subject & { close(): void | Promise<void> }): void {
  describe(`golden files, answered ${how}`, () => {
    let subject: ReturnType<typeof open>;
    let asked: Subject;
    before(() => {
      subject = open();
      asked = new LoadedOnce(subject);
    });
    after(() => subject.close());

    for (const { name, golden } of files.filter((file) => file.golden.expected.kind === 'rows')) {
      it(`${name}: ${golden.title}`, async () => {
        const outcome = await runGolden(golden, asked);
        expectOutcome(outcome, golden, expectedLines(golden));
      });
    }
  });
}

for (const { name, segmenting } of SEGMENTINGS) {
  answersAll(`by the embedded store ${name}`, () => new StoreSubject(segmenting));
}

atEnds(() => answersAll('by the kernels, in one part and in three', () => new BothWays()));

// Decisions of the querying thread: whether a query is split, and where its parts are merged.
atEnds(
  () => answersAll('by two threads', () => new StoreSubject({ ...PLAIN, sealRows: 3, segmentRows: 8 })),
  ['work of several parts', 'bytes of an inline merge'],
);

/** Does not reload the world that is already loaded. */
class LoadedOnce implements Subject {
  readonly #subject: Subject;
  #world: World | null = null;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  async load(world: World): Promise<void> {
    if (isDeepStrictEqual(world, this.#world)) return;
    this.#world = null;
    await this.#subject.load(world);
    this.#world = world;
  }
  send(request: WorldRequest): Promise<void> {
    return this.#subject.send(request);
  }
  query(plans: CompiledPlans): Promise<Answer> {
    return this.#subject.query(plans);
  }
}

/** Compares the rows from one part and from three, with small segments. */
class BothWays implements Subject {
  readonly #parts = new PartsSubject();

  constructor() {
    this.#parts.cutting = { turns: everyOther('seal'), sealRows: 3, segmentRows: 8 };
  }

  load(world: World): Promise<void> {
    return this.#parts.load(world);
  }
  send(request: WorldRequest): Promise<void> {
    return this.#parts.send(request);
  }
  async query(plans: CompiledPlans): Promise<Answer> {
    this.#parts.parts = 1;
    const one = await this.#parts.query(plans);
    this.#parts.parts = 3;
    expect(await this.#parts.query(plans), 'three parts').to.deep.equal(one);
    return one;
  }
  close(): void {
    this.#parts.close();
  }
}

function* everyOther(turn: Turn): Generator<Turn, never> {
  for (;;) {
    yield turn;
    yield 'nothing';
  }
}

function expectOutcome(outcome: Outcome, golden: GoldenFile, lines: readonly string[]): void {
  expect(outcome.lines.join('\n'), outcome.message ?? 'rows').to.equal(lines.join('\n'));
  if (golden.total !== null) expect(outcome.total, 'total').to.equal(golden.total);
}
