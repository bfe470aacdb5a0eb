/** Questions that nobody wrote down, about the bench's data set: drawn as the differential draws its own. */
import type { MakeQuestion, Question } from '../differential/question.ts';
import { DIALECTS } from '../differential/dialect.ts';
import { lifecycleQuestion, stickinessQuestion } from '../differential/questions/activity.ts';
import { aggregateQuestion } from '../differential/questions/aggregate.ts';
import { longFunnel } from '../differential/questions/funnel.ts';
import { pathsQuestion } from '../differential/questions/paths.ts';
import { peopleQuestion } from '../differential/questions/people.ts';
import { retentionQuestion } from '../differential/questions/retention.ts';
import { sessionsQuestion } from '../differential/questions/sessions.ts';
import { Random } from '../differential/random.ts';
import type { Cell, PeerName } from '../peers/peer.ts';
import { SHIFTS, type RandomQuestion } from '../questions.ts';
import { wordsOf } from './words.ts';

/** In turns: half of what is asked are metrics by groups. */
const KINDS: readonly (readonly [name: string, make: MakeQuestion])[] = [
  ['aggregate', aggregateQuestion],
  ['funnel', longFunnel],
  ['aggregate', aggregateQuestion],
  ['retention', retentionQuestion],
  ['aggregate', aggregateQuestion],
  ['people', peopleQuestion],
  ['aggregate', aggregateQuestion],
  ['paths', pathsQuestion],
  ['aggregate', aggregateQuestion],
  ['sessions', sessionsQuestion],
  ['aggregate', aggregateQuestion],
  ['lifecycle', lifecycleQuestion],
  ['aggregate', aggregateQuestion],
  ['stickiness', stickinessQuestion],
];

/** The same questions for the same seed, whatever the number of events. */
export function drawQuestions(count: number, seed: number): RandomQuestion[] {
  return Array.from({ length: count }, (_, at) => {
    const [name, make] = KINDS[at % KINDS.length]!;
    const moved = Array.from({ length: SHIFTS }, (__, days) => make(new Random(seed * 10_000 + at, wordsOf(days))));
    return randomQuestion(`r${at + 1}`, name, moved);
  });
}

function randomQuestion(id: string, title: string, moved: readonly Question[]): RandomQuestion {
  const texts = moved.map((question) => ({ pipe: question.pipe, duckdb: sqlOf(question, 'duckdb'), clickhouse: sqlOf(question, 'clickhouse') })); // prettier-ignore
  const [{ pipe, duckdb, clickhouse }] = texts as [(typeof texts)[number]];
  return {
    ...{ id, title, from: '', to: '', pipe, columns: [], duckdb: [duckdb], clickhouse: [clickhouse], texts },
    // Only the range differs between those that moved, which no conversion looks at.
    rows: (answer) => moved[0]!.rows(answer.map((row) => row.map(timeAsNumber))),
  };
}

/** On the views of questions.json. No two events there have one time, and a join that nobody needs is left out. */
function sqlOf(question: Question, name: PeerName): string {
  const sql = question
    .sql(DIALECTS[name])
    .replace(/\bORDER BY t( DESC)?, arrival( DESC)?/g, 'ORDER BY t$1')
    .replaceAll('(t, arrival)', 't');
  if (name === 'clickhouse') return `${sql.replace(/\b(FROM|JOIN) e\b/g, '$1 bench.e')} SETTINGS join_use_nulls = 1`;
  return /\bperson\b/.test(sql) ? sql : sql.replace(/\b(FROM|JOIN) e\b/g, '$1 e_without_persons');
}

/** Times of an answer in JSON are texts. */
function timeAsNumber(cell: Cell): Cell {
  return typeof cell === 'string' && /^\d{4}-\d\d-\d\dT/.test(cell) ? Date.parse(cell) : cell;
}
