/** How a query ran: what it asked in sentences, where the time went as a timeline, and the plan itself. */
import { codeText } from './code-text.ts';
import { momentText } from './dashboard/buckets.ts';
import { made } from './element.ts';
import type { Explanation } from './questions.ts';

/** What the lines of a plan say, by their names; others are left to the plan below. */
const KINDS: Readonly<Record<string, string>> = {
  aggregate: 'Counts events.',
  list: 'Lists single events, the newest first.',
  latest: 'Finds the newest value of each.',
  funnel: 'Follows people from step to step.',
  retention: 'Looks who comes back, by the time of their first event.',
  paths: 'Follows what people do one after the other.',
  sessions: 'Forms sessions of events, and counts them.',
  lifecycle: 'Tells new people from those who return, and those who stay away.',
  stickiness: 'Counts on how many days people are there.',
  users: 'Reads profiles.',
  formula: 'Counts each operand, and calculates with them.',
  fields: 'Looks which fields there are.',
  inspect: 'Looks what there is.',
  choice: 'Compares the variants of an experiment.',
  attribution: 'Gives conversions to what came before them.',
};

const STAGES: Readonly<Record<string, string>> = {
  compile: 'read and planned',
  wait: 'waited for a thread',
  place: 'divided into parts',
  run: 'rows read',
  merge: 'parts joined',
  format: 'answer written',
};

export function explainView(explanation: Explanation, label: string): HTMLElement {
  const plan = explanation.passes.filter(({ changed }) => changed).at(-1)?.plan ?? [];
  const view = made('div', '', { class: 'explained', role: 'group', 'aria-label': label });
  const sentences = made('ul');
  for (const sentence of [...planSentences(plan), ...runSentences(explanation)]) {
    const item = made('li');
    item.append(...codeText(sentence));
    sentences.append(item);
  }
  view.append(sentences, timeline(explanation.times));
  const whole = made('details');
  const lines = made('pre', '', { tabindex: '0', 'aria-label': 'The plan' });
  lines.append(made('code', plan.join('\n')));
  whole.append(made('summary', 'The plan, as it ran'), lines);
  view.append(whole);
  return view;
}

function planSentences([kind = '', ...lines]: readonly string[]): readonly string[] {
  const parts = new Map(lines.map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]));
  const told = (name: string): string | null => {
    const text = parts.get(name)?.replaceAll('`', "'"); // it would end the code
    return text === undefined || text === 'none' || text === '' ? null : text;
  };
  const sentence = (name: string, text: (value: string) => string): readonly string[] => {
    const value = told(name);
    return value === null ? [] : [text(value)];
  };
  const [from = '', to = ''] = told('range')?.split(' to ') ?? [];
  return [
    ...(KINDS[kind] === undefined ? [] : [KINDS[kind]]),
    ...sentence('event', (event) => (event === '*' ? 'Looks at all events.' : `Looks at events \`${event}\`.`)),
    ...sentence('steps', (steps) => `The steps are \`${steps}\`.`),
    ...(from === '' ? [] : [`From ${momentText(from)} to ${momentText(to)} (${told('zone') ?? 'UTC'}).`]),
    ...conditionOf(told('where'), told('leavesOutBots') !== null),
    ...sentence('groups', (groups) => `A row for each \`${groups.replaceAll(' (bucket)', '')}\`.`),
    ...sentence('metrics', (metrics) => `In each row \`${metrics.replaceAll(/ as [^,]+/g, '')}\`.`),
  ];
}

const NO_BOT = 'not _device_type = "bot"';

function conditionOf(where: string | null, leavesOutBots: boolean): readonly string[] {
  const asked = leavesOutBots ? (where ?? '').replace(NO_BOT, '').replace(/ and $/, '') : (where ?? '');
  return [
    ...(asked === '' ? [] : [`Only where \`${asked}\`.`]),
    ...(leavesOutBots ? ['Without events of bots, as the project is set to; `with bots` has them.'] : []),
  ];
}

function runSentences({ passes, parts, rows_scanned: rows }: Explanation): readonly string[] {
  const changed = passes.slice(1).filter((pass) => pass.changed);
  const threads = new Set(parts.map(({ thread }) => thread)).size;
  const slowest = Math.max(0, ...parts.map(({ ms }) => ms));
  const split = parts.length < 2 ? '' : ` in ${parts.length} parts on ${count(threads, 'thread')}; the slowest took ${msText(slowest)}`;
  return [
    ...(changed.length === 0 ? [] : [`Made simpler before it ran: ${changed.map(({ name }) => name.replaceAll('-', ' ')).join(', ')}.`]),
    `${count(rows, 'row')} scanned${split}.`,
  ];
} // prettier-ignore

/** Each stage as a bar that begins where the one before has ended. */
function timeline(times: Explanation['times']): HTMLElement {
  const all = times.reduce((sum, { ms }) => sum + ms, 0);
  const table = made('table', '', { class: 'timeline' });
  const head = made('tr');
  head.append(made('th', 'Stage', { scope: 'col' }), made('th', 'Time', { scope: 'col', class: 'number' }), made('th', 'When', { scope: 'col' }));
  table.createTHead().append(head);
  const body = table.createTBody();
  let begun = 0;
  for (const { stage, ms } of times) {
    const bar = made('i');
    bar.style.setProperty('--from', String(all === 0 ? 0 : begun / all));
    bar.style.setProperty('--part', String(all === 0 ? 0 : ms / all));
    begun += ms;
    const place = made('td', '', { class: 'span', 'aria-hidden': 'true' });
    place.append(bar);
    const line = made('tr');
    line.append(made('th', STAGES[stage] ?? stage, { scope: 'row' }), made('td', msText(ms), { class: 'number' }), place);
    body.append(line);
  }
  return table;
} // prettier-ignore

const MS = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });

const msText = (ms: number): string => `${MS.format(ms)} ms`;

const count = (number: number, what: string): string => `${number.toLocaleString()} ${what}${number === 1 ? '' : 's'}`;
