/**
 * What is asked before a plan itself, of the same snapshot: who did what its conditions ask, and the answer over an earlier range
 * that it is compared with.
 */
import type { Tenant } from '../base/project.ts';
import { earlierPlan } from '../dsl/finish/compare.ts';
import type { AnswerFormat } from '../dsl/format/answer.ts';
import { didPlans } from '../dsl/plan/did.ts';
import type { Plan } from '../dsl/plan/plan.ts';
import type { Readable, Snapshot } from '../shards/shard-reader.ts';
import type { EngineResult, QueryOptions } from './query-result.ts';
import type { PersonSet } from './where/person-tables.ts';

/** A query, run in the turns of `tenant`. */
export interface EngineQuery extends QueryOptions {
  readonly tenant: Tenant;
  /** Aborted when nobody may read the shard any longer. */
  readonly interruption?: AbortSignal;
  /** Gets the snapshot that was made of a shard at rest. */
  readonly took?: (snapshot: Snapshot) => void;
}

export interface Asking extends EngineQuery {
  readonly format: AnswerFormat | 'rows' | null;
  /** Rows to compare with. */
  readonly earlier?: Uint8Array<ArrayBuffer>;
  /** Those of whom conditions of the plan are true. */
  readonly persons?: readonly PersonSet[];
}

export interface Question {
  readonly source: Readable;
  readonly plan: Plan;
  readonly asking: Asking;
}

type Ask = (question: Question) => Promise<EngineResult>;

export async function askInTurn({ source, plan, asking }: Question, ask: Ask): Promise<EngineResult> {
  const earlier = earlierPlan(plan);
  if (earlier === null) return askWithPersons({ source, plan, asking }, ask);
  const before = await askWithPersons({ source, plan: earlier, asking: { ...asking, format: 'rows' } }, ask);
  if (before.made.kind !== 'rows') throw new Error(`rows to compare with came as a ${before.made.kind}`);
  const now = await askWithPersons({ source, plan, asking: { ...asking, earlier: before.made.rows } }, ask);
  return afterOthers(now, 'compare', [before]);
}

/** Persons are numbered as one snapshot has them, and as they are bound in it. */
async function askWithPersons({ source, plan, asking }: Question, ask: Ask): Promise<EngineResult> {
  const asked = didPlans(plan);
  if (asked.length === 0) return ask({ source, plan, asking });
  let read = source;
  const took = (snapshot: Snapshot): void => {
    read = snapshot;
    asking.took?.(snapshot);
  };
  const persons: PersonSet[] = [];
  const before: EngineResult[] = [];
  for (const did of asked) {
    // One after the other: each may hold as much memory as a query.
    const found = await ask({ source: read, plan: did.plan, asking: { ...asking, took, format: null } });
    if (found.made.kind !== 'persons') throw new Error(`persons came as a ${found.made.kind}`);
    persons.push({ key: did.key, passes: found.made.passes });
    before.push(found);
  }
  const answer = await ask({ source: read, plan, asking: { ...asking, took, persons } });
  const all = afterOthers(answer, 'did', before);
  const undone = {
    events: distinct(before.flatMap(({ observations }) => observations.unseenEvents)),
    fields: distinct(before.flatMap(({ observations }) => observations.unseenFields)),
    rows: all.observations.rowsScanned - answer.observations.rowsScanned,
  };
  return { ...all, observations: { ...all.observations, undone } };
}

const distinct = (names: readonly string[]): readonly string[] => [...new Set(names)];

/** What all of them took together. */
function afterOthers(answer: EngineResult, stage: string, others: readonly EngineResult[]): EngineResult {
  const ofOthers = (of: (one: EngineResult) => number): number => others.reduce((sum, one) => sum + of(one), 0);
  const rowsScanned = answer.observations.rowsScanned + ofOthers(({ observations }) => observations.rowsScanned);
  const ms = ofOthers(({ times }) => times.reduce((sum, time) => sum + time.ms, 0));
  return {
    ...answer,
    observations: { ...answer.observations, rowsScanned },
    times: [{ stage, ms }, ...answer.times],
    parts: [...others.flatMap(({ parts }) => parts), ...answer.parts],
  };
}
