/** A session in the product itself. */
import { APP } from './pages.ts';
import { Choice, type Random } from './random.ts';
import type { Client } from './clients.ts';
import type { Properties, Recorder } from './recorder.ts';

export type Plan = 'free' | 'starter' | 'team' | 'business';

export interface AppSessionOptions {
  readonly random: Random;
  readonly client: Client;
  readonly plan: Plan;
  readonly board: number;
  readonly release: string;
  /** Whether the release breaks reports in some browsers. */
  readonly broken: boolean;
}

type Action =
  | 'task_moved'
  | 'task_created'
  | 'task_completed'
  | 'comment_added'
  | 'search'
  | 'report_viewed'
  | 'file_uploaded'
  | 'member_invited'
  | 'export';

const actions = new Choice<Action>([
  ['task_moved', 26],
  ['task_created', 20],
  ['task_completed', 18],
  ['comment_added', 15],
  ['search', 7],
  ['report_viewed', 7],
  ['file_uploaded', 4],
  ['member_invited', 1.5],
  ['export', 1.5],
]);
const fileTypes = new Choice([['pdf', 4], ['png', 5], ['xlsx', 3], ['docx', 2]]); // prettier-ignore
const FILTERS = ['assignee', 'due_date', 'board', 'label'];
const views = new Choice([['board', 6], ['list', 3], ['timeline', 2], ['calendar', 1]]); // prettier-ignore

const MEAN_ACTIONS = 9;
const MEAN_ACTIONS_MOBILE = 4;
const ERROR_RATE = 0.004; // per action on an ordinary day
const BROKEN_RATE = 0.75; // for reports in Safari while the release is broken
const LOST = 'upload failed: connection lost';
const TIMEOUT = 'request failed: timeout';
const BROKEN_MESSAGE = 'TypeError: undefined is not an object (chart.axes)';

/** Records one session: home, a board, then actions. */
export function useApp(recorder: Recorder, options: AppSessionOptions): void {
  const { random, client, board } = options;
  recorder.page(`${APP}/home`);
  recorder.page(`${APP}/boards/${board}?view=${views.draw(random)}`);
  const mean = client.mobile ? MEAN_ACTIONS_MOBILE : MEAN_ACTIONS;
  for (let left = Math.floor(random.exponential(mean)); left >= 0; left--) act(recorder, options);
}

function act(recorder: Recorder, options: AppSessionOptions): void {
  const { random, plan, release, broken, client } = options;
  const action = actions.draw(random);
  if (action === 'report_viewed') recorder.page(`${APP}/reports`);
  const hit = broken && client.family === 'safari' && action === 'report_viewed';
  const failed = random.unit() < (hit ? BROKEN_RATE : ERROR_RATE);
  if (failed)
    recorder.track('error', {
      message: hit ? BROKEN_MESSAGE : action === 'file_uploaded' ? LOST : TIMEOUT,
      action,
      release,
    });
  else recorder.track(action, { plan, release, ...DETAILS[action]?.(random) });
  recorder.pause(38_000);
}

const DETAILS: { readonly [A in Action]?: (random: Random) => Properties } = {
  task_created: (random) => ({
    with_due_date: random.unit() < 0.45,
    assignees: 1 + Math.floor(random.exponential(0.5)),
  }),
  task_completed: (random) => ({ days_open: Math.round(random.exponential(4) * 10) / 10 }),
  search: (random) => {
    const draw = random.exponential(6);
    // The decimals of the same draw: a further one would change what the person does next.
    const isSet = (nth: number): boolean => Math.floor(draw * 10 ** (nth + 1)) % 10 < 4 - nth;
    return { results: Math.floor(draw), filters: FILTERS.filter((_, nth) => isSet(nth)) };
  },
  report_viewed: (random) => ({ duration_ms: Math.round(300 + random.exponential(900)) }),
  file_uploaded: (random) => ({
    type: fileTypes.draw(random),
    size_kb: Math.round(20 + random.exponential(900)),
  }),
  export: (random) => ({ format: random.unit() < 0.7 ? 'csv' : 'pdf' }),
};
