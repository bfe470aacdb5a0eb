/** Queries the engines and times them: first checks that they agree, then warm, then cold. */
import { difference, sorted } from './compare.ts';
import type { Engine, EngineName, OpenEngine } from './engines.ts';
import type { Row } from './peers/peer.ts';
import { isRandom, questionText, SHIFTS, type Language, type Question } from './questions.ts';
import { ratiosOf, type Ratios } from './ratios.ts';
import { median } from './statistics.ts';
import { NotAvailable } from './windlass/client.ts';

/** Milliseconds by engine. */
export type Times = Readonly<Record<EngineName, number>>;

export interface Skipped {
  readonly question: Question;
  readonly reason: string;
}

/** Returns queries that all engines answer alike. Throws if two answers differ; skips queries that are not available yet. */
export async function agree(
  engines: readonly Engine[],
  questions: readonly Question[],
): Promise<{ asked: Question[]; skipped: Skipped[] }> {
  const asked: Question[] = [];
  const skipped: Skipped[] = [];
  const differences: string[] = [];
  for (const question of questions) {
    try {
      const wrong = await firstDifference(engines, question);
      if (wrong === null) asked.push(question);
      else differences.push(`${question.id}: ${wrong}`);
    } catch (error) {
      if (!(error instanceof NotAvailable)) throw new Error(`${question.id}, ${question.pipe}`, { cause: error });
      skipped.push({ question, reason: error.message });
    }
  }
  if (differences.length > 0) throw new Error(`the engines disagree\n${differences.join('\n')}`);
  return { asked, skipped };
}

/** Compares answers for the whole and a shortened range; both texts of what differs. */
async function firstDifference(engines: readonly Engine[], question: Question): Promise<string | null> {
  for (const days of [0, SHIFTS - 1]) {
    const [first, ...others] = engines;
    if (!first) return null;
    const expected = await first.ask(question, days);
    for (const other of others) {
      const wrong = differenceOf(question, expected.rows, (await other.ask(question, days)).rows);
      if (wrong === null) continue;
      const texts = [first, other].map(({ name }) => `--- ${name}\n${questionText(question, languageOf(name), days)}`);
      return [`${first.name} and ${other.name}: ${wrong}`, ...texts].join('\n');
    }
  }
  return null;
}

/** Of a random question, Windlass's rows become those of SQL, and their order does not matter. */
function differenceOf(question: Question, windlass: readonly Row[], peer: readonly Row[]): string | null {
  return isRandom(question) ? difference(sorted(question.rows(windlass)), sorted(peer)) : difference(windlass, peer);
}

const languageOf = (name: EngineName): Language => (name === 'windlass' ? 'pipe' : name);

/** Rounds that do not count: first answers come from files, and Windlass tries one thread against all in eight. */
const WARM_UP = 8;

/**
 * Warm medians, after rounds of all engines that do not count. Every round runs all queries on all engines, beginning with
 * another engine each time so that drift of the machine affects all alike, and with another end of the range; before an end is
 * repeated, the engines forget.
 */
export async function warm(
  engines: readonly Engine[],
  questions: readonly Question[],
  runs: number,
): Promise<Map<string, Times>> {
  const times = new Map<string, Map<EngineName, number[]>>(
    questions.map(({ id }) => [id, new Map(engines.map(({ name }) => [name, []]))]),
  );
  for (let round = 0; round < WARM_UP + runs; round++) {
    if (round % SHIFTS === 0) for (const engine of engines) await engine.forget();
    for (const question of questions) {
      for (let e = 0; e < engines.length; e++) {
        const engine = engines[(e + round) % engines.length]!;
        const { ms } = await engine.ask(question, round % SHIFTS);
        if (round >= WARM_UP) times.get(question.id)?.get(engine.name)?.push(ms);
      }
    }
  }
  return medians(times);
}

/** A question that a peer answered faster, and where Windlass's time went when it was asked again. */
export interface Slower {
  readonly id: string;
  readonly pipe: string;
  readonly ratios: Ratios;
  /** As the header Server-Timing tells them: milliseconds. */
  readonly stages: string;
}

/** Slowest first. */
export async function slowerOnes(
  engines: readonly Engine[],
  questions: readonly Question[],
  all: ReadonlyMap<string, Times>,
): Promise<Slower[]> {
  const slower: Slower[] = [];
  for (const engine of engines) await engine.forget();
  for (const question of questions) {
    const times = all.get(question.id);
    const ratios = times && ratiosOf(times);
    if (!ratios || ratios.best >= 1) continue;
    slower.push({ id: question.id, pipe: question.pipe, ratios, stages: await usualStages(engines[0]!, question) });
  }
  return slower.sort((a, b) => a.ratios.best - b.ratios.best);
}

/** Of the answer that took as long as most, of one for every range. */
async function usualStages(engine: Engine, question: Question): Promise<string> {
  const answers: { ms: number; stages?: string }[] = [];
  for (let days = 0; days < SHIFTS; days++) answers.push(await engine.ask(question, days));
  return answers.sort((a, b) => a.ms - b.ms)[SHIFTS / 2]?.stages ?? '';
}

/** Cold medians: the first query to a fresh process. Its files stay in the system's cache. */
export async function cold(
  openers: readonly OpenEngine[],
  questions: readonly Question[],
  runs: number,
): Promise<Map<string, Times>> {
  const times = new Map<string, Map<EngineName, number[]>>();
  for (const question of questions) {
    const ofQuestion = new Map<EngineName, number[]>();
    for (let run = 0; run < runs; run++) {
      for (const open of openers) {
        const engine = await open();
        const { ms } = await engine.ask(question, run % SHIFTS);
        ofQuestion.set(engine.name, [...(ofQuestion.get(engine.name) ?? []), ms]);
        await engine.close();
      }
    }
    times.set(question.id, ofQuestion);
  }
  return medians(times);
}

function medians(times: ReadonlyMap<string, ReadonlyMap<EngineName, readonly number[]>>): Map<string, Times> {
  const of = (name: EngineName, values: ReadonlyMap<EngineName, readonly number[]>): number =>
    median(values.get(name) ?? [NaN]);
  return new Map(
    [...times].map(([id, values]) => [
      id,
      { windlass: of('windlass', values), duckdb: of('duckdb', values), clickhouse: of('clickhouse', values) },
    ]),
  );
}
