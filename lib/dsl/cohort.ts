/** The condition of a cohort, checked by itself. */
import { Cohorts } from './bind/cohorts.ts';
import { bindConditionOfPersons } from './bind/bind-condition.ts';
import { refuseManyDids } from './bind/bind-did.ts';
import type { Stages } from './bind/stages.ts';
import { QueryError } from './errors.ts';
import { parseWhere } from './parse/parse-condition.ts';
import { cohortsIn } from './parse/person-tests.ts';
import { PatternCheck } from './plan/pattern.ts';
import { UTC } from './time/zone.ts';

/**
 * Returns the names of the cohorts in it, each once; whether they exist is not known here. Throws QueryError with the place of a mistake,
 * whose unknown names may be properties of persons.
 * @param now Milliseconds since the epoch.
 */
export function readCohort(where: string, now: number): readonly string[] {
  try {
    const node = parseWhere(where);
    const stages: Stages = { one: () => null, where: [node], whereAfterLatest: [], having: [], groups: null };
    const cohorts = new Cohorts('any');
    refuseManyDids({ query: where, stages, cohorts });
    const scope = { query: where, stages, zone: UTC, weeks: 'monday', now, earliest: null } as const;
    const rest = { page: { limit: 1, offset: 0 }, patterns: new PatternCheck([]), cohorts, reading: [] };
    bindConditionOfPersons({ ...scope, ...rest }, node, 'events');
    return cohortsIn(node);
  } catch (error) {
    if (!(error instanceof QueryError) || error.unknown === null) throw error;
    const unknown = { ...error.unknown, prefixes: ['user.'] };
    throw new QueryError(where, error.position, error.sentence, { ...error.mistake, unknown });
  }
}
