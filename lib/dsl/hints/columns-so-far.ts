/** Columns of an answer, as far as the stages of a query that breaks off name them. */
import { quote } from '../parse/lex-string.ts';
import { CREDIT } from '../plan/columns.ts';
import { readMetric } from '../plan/metrics.ts';

/** What stands between commas; those in brackets and strings do not count. */
const ITEM = /(?:"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\([^)]*\)|[^,"])+/gu;
const ALIAS = /\bas\s+(?<name>"(?:[^"\\]|\\.)*"|[\p{L}\p{N}_]+)$/iu;

/**
 * As a stage writes them: groups as typed; metrics by their names, else by their words, or as typed with a condition or `of`. Of a
 * query's source and its stages that are whole.
 */
export function columnsSoFar([source = '', ...stages]: readonly string[]): readonly string[] {
  const metrics = stages.flatMap(metricsIn);
  return [
    ...stages.flatMap((stage) => itemsOf(/\bby\s+(?<items>.*)$/isu.exec(stage)?.groups?.['items']).map(written)),
    ...(startsWith('attribution')(source) ? CREDIT.map(({ name }) => name) : []),
    ...metrics.flatMap((name) => (stages.some(startsWith('compare')) ? [name, ...comparedWith(name)] : [name])),
    ...(stages.some(startsWith('share')) ? ['share'] : []),
    ...stages.flatMap((stage) => (startsWith('results')(stage) ? columnsOfResults(stage) : [])),
  ];
}

function metricsIn(stage: string): string[] {
  if (readMetric(firstWord(stage)) === null) return [];
  return itemsOf(stage.replace(/\bby\s.*$/isu, '')).flatMap((item) => {
    const name = ALIAS.exec(item)?.groups?.['name'];
    if (name !== undefined) return [name];
    return /\sof\s|\[/iu.test(item) ? [quote(item)] : [firstWord(item)];
  });
}

function columnsOfResults(stage: string): readonly string[] {
  const own = /^\s*results\s+(?:sum|avg)\s/iu.test(stage) ? ['total', 'mean'] : ['conversions', 'rate'];
  return ['variant', 'users', ...own, 'lift', 'ci_low', 'ci_high', 'p_value', 'p_adjusted'];
}

const firstWord = (text: string): string => /^\s*(?<word>\w*)/u.exec(text)?.groups?.['word']?.toLowerCase() ?? '';

const startsWith =
  (word: string) =>
  (stage: string): boolean =>
    firstWord(stage) === word;

function itemsOf(items = ''): string[] {
  return [...items.matchAll(ITEM)].map(([item]) => item.trim()).filter((item) => item !== '');
}

/** What is more than one word is in quotes. */
function written(group: string): string {
  return /^[^\s()]*$/u.test(group.replaceAll(/"(?:[^"\\]|\\.)*"/gu, '')) ? group : quote(group);
}

/** The columns that `compare` adds; none beside a name in quotes, which would have to enclose them. */
function comparedWith(name: string): readonly string[] {
  return name.startsWith('"') ? [] : [`${name}_previous`, `${name}_change`];
}
