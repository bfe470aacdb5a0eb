/** Pages with examples: a ```pipe block with a query, then a ```text block with its answer or a ```json block with its error. */
import type { DemoProject } from './demo-project.ts';

/** The pages whose answers `npm run docs` writes. */
export const EXAMPLE_PAGES = ['docs/query-language.md', 'docs/query-examples.md', 'docs/agents.md'] as const;

export interface Example {
  readonly query: string;
  readonly kind: 'text' | 'json';
  /** As on the page. */
  readonly answer: string;
  /** Line of the query, from 1. */
  readonly line: number;
}

const QUERY = /^```pipe\n([\s\S]*?)\n```$/gm;
const EXAMPLE = /^```pipe\n([\s\S]*?)\n```\n\n```(text|json)\n([\s\S]*?)\n?```$/gm;

/** The examples of a page in order. Throws if a query has no answer below it. */
export function examplesOf(page: string): Example[] {
  const examples = [...page.matchAll(EXAMPLE)].map(({ index, 1: query = '', 2: kind, 3: answer = '' }) => ({
    query,
    kind: kind === 'json' ? ('json' as const) : ('text' as const),
    answer,
    line: lineOf(page, index),
  }));
  const lines = new Set(examples.map(({ line }) => line));
  for (const { index, 1: query = '' } of page.matchAll(QUERY)) {
    if (!lines.has(lineOf(page, index))) throw new Error(`line ${lineOf(page, index)} has no answer: ${query}`);
  }
  return examples;
}

/** What the page should show below the query. */
export function answerTo({ query, kind }: Example, project: DemoProject): Promise<string> {
  return kind === 'json' ? project.errorBody(query) : project.answer(query);
}

/** The page with fresh answers. */
export async function withAnswers(page: string, project: DemoProject): Promise<string> {
  const answers: string[] = [];
  for (const example of examplesOf(page)) answers.push(await answerTo(example, project));
  return page.replace(EXAMPLE, (_, query: string, kind: string) => {
    return `\`\`\`pipe\n${query}\n\`\`\`\n\n\`\`\`${kind}\n${answers.shift() ?? ''}\n\`\`\``;
  });
}

function lineOf(page: string, index: number): number {
  return page.slice(0, index).split('\n').length;
}
