/** The language for models: parts of its page, questions to begin with, and what there is to read. */
import type { GetPromptResult, Prompt, ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { AppError } from '../../base/errors.ts';
import { nearest } from '../../base/text/nearest.ts';
import { DocsPage } from '../pages/docs-page.ts';
import { ask, rowsOf, rowsText } from './ask.ts';
import { DATA, MOST_BYTES, textBlock, textResult } from './result.ts';
import { type ToolCall, projectTool, READS } from './tool.ts';

const PAGE = new DocsPage('query-language.md');
const HEADINGS = new Map(PAGE.parts.map((heading) => [heading.toLowerCase(), heading]));
const TOPICS = [...HEADINGS.keys()];

export const queryHelp = projectTool<{ readonly topic?: string }>({
  name: 'query_help',
  description:
    'Explains a part of the pipe language: sources, stages, metrics, groups, conditions, fields, time, … Without a topic: all topics.',
  scope: 'query',
  annotations: READS,
  takes: { topic: { schema: { type: 'string' }, must: '"topic" must be a string.' } },
  run: (_call, { topic }) => Promise.resolve(textResult(topic === undefined ? OVERVIEW : partOf(topic))),
});

const OVERVIEW = `A query is \`source | stage | stage …\`, such as \`signup | count by day | last 30d\`.\n\nTopics:\n${TOPICS.map((topic) => `- ${topic}`).join('\n')}`;

/** Throws AppError 400 for what is no topic. */
function partOf(topic: string): string {
  const wanted = topic.trim().toLowerCase();
  const heading = HEADINGS.get(wanted);
  if (heading !== undefined) return PAGE.section(`### ${heading}`);
  const meant = nearest(wanted, TOPICS);
  throw new AppError(
    'bad_request',
    `There is no topic of that name${meant === null ? '' : `; the nearest is "${meant}"`}.`,
    {
      hints: [`Topics are ${TOPICS.join(', ')}.`],
    },
  );
}

const LANGUAGE = 'windlass://language';
const CATALOG = 'windlass://catalog';

export const RESOURCES: readonly Resource[] = [
  { uri: LANGUAGE, name: 'language', title: 'The pipe language', mimeType: 'text/markdown' },
  { uri: CATALOG, name: 'catalog', title: 'The events of the project in the last 30 days', mimeType: 'text/markdown' },
];

/** null: there is no such resource. Rejects as a query does. */
export async function readResource(call: ToolCall, uri: string): Promise<ReadResourceResult | null> {
  const contents = (text: string) => ({ contents: [{ uri, mimeType: 'text/markdown', text }] });
  if (uri === LANGUAGE) return contents(`# The pipe query language\n\n${PAGE.section('# The pipe query language')}`);
  if (uri !== CATALOG) return null;
  const { services, request } = call;
  const { ip } = services.clients.of(request);
  const credential = await services.gatekeeper.admit(request, { scope: 'query', ip, where: 'header' });
  const ran = await ask(call, credential, { q: 'inspect *', limit: 500 });
  return contents(`${DATA}\n\n${rowsText(ran, rowsOf(ran, 0, MOST_BYTES), 'markdown', ran.watch)}`);
}

interface Question extends Prompt {
  readonly text: (args: Readonly<Record<string, string>>) => string;
}

const HOW =
  'Call inspect first and use only names that it shows. Name the range of every number, and read the notes below the answers.';

const QUESTIONS: readonly Question[] = [
  {
    name: 'weekly_review',
    title: 'Weekly review',
    description: 'What changed in the last seven days, and what to look at.',
    text: () =>
      `Review the last week of this product. ${HOW} With query_many, compare with the week before: active people (\`* | unique distinct_id by day | last 7d | compare previous\`), the five most frequent events, sign-ups and revenue if there are any, and the main funnel. Report the three changes that matter most, each with its numbers and the query that shows it, and say what you could not find out.`,
  },
  {
    name: 'why_did_it_drop',
    title: 'Why did it drop?',
    description: 'Looks for what is behind a change of an event.',
    arguments: [
      { name: 'event', description: 'Name of the event', required: true },
      { name: 'range', description: 'Such as 14d' },
    ],
    text: ({ event = '', range = '14d' }) =>
      `The event ${JSON.stringify(event)} seems to have dropped in the last ${JSON.stringify(range)}. ${HOW} First check that it did: count it by day, and \`compare previous\`. Then divide the change by one field after the other (_device_type, _browser, _country, _referrer_domain, properties of the event), and look whether people or events per person changed, whether events before it in a funnel changed, too, and whether sending stopped (last_seen). End with the most likely cause, the numbers for and against it, and what would settle it.`,
  },
  {
    name: 'build_funnel',
    title: 'Build a funnel',
    description: 'Finds the steps to a goal, and where people are lost.',
    arguments: [{ name: 'goal', description: 'What people should get to', required: true }],
    text: ({ goal = '' }) =>
      `Build a funnel to this goal: ${JSON.stringify(goal)}. ${HOW} Choose three to five steps, run \`funnel a -> b -> c | last 30d\`, then by _device_type and by one property that may matter. Say at which step most people are lost, how long steps take, and with the tool people who stopped there. Offer to save it as a dashboard.`,
  },
];

export const PROMPTS: readonly Prompt[] = QUESTIONS.map(({ text: _text, ...prompt }) => prompt);

/** null: there is no such prompt. */
export function promptOf(name: string, args: Readonly<Record<string, string>>): GetPromptResult | null {
  const found = QUESTIONS.find((one) => one.name === name);
  if (found === undefined) return null;
  return { messages: [{ role: 'user', content: textBlock(found.text(args)) }] };
}
