/** The page of the query language for terminals: example queries, then the reference. */
import { languagePage } from './language-page.ts';
import { markdownText } from './markdown-text.ts';

/** At most `width` columns wide, except for wider queries. */
export function languageText(width: number): string {
  const page = languagePage().replaceAll('\r\n', '\n');
  const [tutorial = '', reference = ''] = page.split(/^## Reference$/m);
  return `${markdownText(`# The query language\n\n${examplesOf(tutorial)}\n${reference}`, width)}\n`;
}

/** The tutorial's headings and queries, without the prose, the answers and the wrong queries. */
function examplesOf(tutorial: string): string {
  const [right = ''] = tutorial.split(/^### When something is wrong$/m);
  const kept = right.match(/^### .*$|^```pipe\n[^]*?^```$/gm) ?? [];
  const joined = kept.join('\n\n').replaceAll('\n```\n\n```pipe\n', '\n\n');
  return joined.slice(Math.max(0, joined.indexOf('### ')));
}
