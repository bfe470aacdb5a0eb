/** What answers queries in tests: the oracle or an engine. */
import { answer, type AnswerOptions } from '../oracle/answer.ts';
import type { Answer } from '../oracle/table.ts';
import type { World, WorldRequest } from '../oracle/world.ts';
import type { CompiledPlans } from './compile.ts';

export interface Subject {
  /** Drops its data and takes the requests of a world in order. */
  load(world: World): Promise<void>;
  /** Takes another request. */
  send(request: WorldRequest): Promise<void>;
  query(plans: CompiledPlans): Promise<Answer>;
}

/** The slow evaluator as a subject. */
export function oracleSubject(options?: AnswerOptions): Subject {
  let loaded: World = [];
  return {
    load: (world) => {
      loaded = world;
      return Promise.resolve();
    },
    send: (request) => {
      loaded = [...loaded, request];
      return Promise.resolve();
    },
    query: ({ bound }) => Promise.resolve(answer(bound, loaded, options)),
  };
}
