/** The result of a run as Markdown. */
import { ENGINE_NAMES, type EngineName } from './engines.ts';
import type { BulkLoad, Ingest } from './ingest/ingest.ts';
import type { Skipped, Slower, Times } from './measure.ts';
import type { Question } from './questions.ts';
import { ratiosOf, summaryOf, type Ratios, type Summary } from './ratios.ts';
import type { Footprint } from './windlass/footprint.ts';

export interface BenchResult {
  readonly machine: string;
  readonly versions: string;
  readonly events: number;
  readonly threads: number;
  readonly runs: number;
  readonly questions: readonly Question[];
  /** Of the questions that were drawn; null: those of the file were asked. */
  readonly seed: number | null;
  readonly skipped: readonly Skipped[];
  readonly warm: ReadonlyMap<string, Times>;
  /** Of the warm times. */
  readonly summary: Summary | null;
  /** Of the questions that were drawn. */
  readonly slower: readonly Slower[];
  readonly cold: ReadonlyMap<string, Times>;
  readonly load: BulkLoad;
  /** Seconds from the last acknowledgement until background merging was done. */
  readonly settleSeconds: number;
  readonly memory: Readonly<Partial<Record<EngineName, number>>>;
  readonly footprint: Footprint;
  readonly ingest: Ingest | null;
}

export function renderMarkdown(result: BenchResult): string {
  const lines = [
    `${number(result.events)} events, ${result.threads} threads an engine, ${result.machine}, ${result.versions}.${result.seed === null ? '' : ` Random questions of seed ${result.seed}.`}`,
    '',
    ...timesTable(`Warm (median of ${result.runs})`, result.questions, result.warm),
    ...slowerList(result.slower),
    ...(result.cold.size > 0
      ? timesTable('Cold (first question to a fresh process)', result.questions, result.cold)
      : []),
    ...result.skipped.map(({ question, reason }) => `Left out: ${question.id}, ${question.title} (${reason})`),
    ...footprint(result),
    ...(result.ingest ? ingestTable(result.ingest, result.load) : []),
  ];
  return `${lines.join('\n')}\n`;
}

/** Ratios are the peer's time divided by Windlass's: above 1, Windlass is faster. */
function timesTable(title: string, questions: readonly Question[], all: ReadonlyMap<string, Times>): string[] {
  const rows = questions.flatMap((question) => {
    const times = all.get(question.id);
    return times ? [{ question, times, ratios: ratiosOf(times) }] : [];
  });
  if (rows.length === 0) return [];
  const cells = rows.map(({ question, times, ratios }) => [
    `${question.id} ${question.title}`,
    ...ENGINE_NAMES.map((name) => milliseconds(times[name])),
    ...ratioCells(ratios),
  ]);
  const summary = Object.entries(summaryOf(rows.map(({ times }) => times)) ?? {});
  return [
    ...table(
      [title, 'Windlass ms', 'DuckDB ms', 'ClickHouse ms', '× DuckDB', '× ClickHouse', '× faster of both'],
      [...cells, ...summary.map(([label, ratios]) => [label, ...ENGINE_NAMES.map(() => ''), ...ratioCells(ratios)])],
    ),
    '',
  ];
}

const ratioCells = ({ duckdb, clickhouse, best }: Ratios): string[] => [duckdb, clickhouse, best].map(ratio);

/** What a peer answered faster, with the milliseconds of Windlass's stages. */
function slowerList(slower: readonly Slower[]): string[] {
  const items = slower.map(({ id, pipe, ratios, stages }) => `- ${id}, × ${ratio(ratios.duckdb)} / ${ratio(ratios.clickhouse)}: \`${pipe}\`: ${stages}`); // prettier-ignore
  return slower.length === 0 ? [] : ['Below 1:', '', ...items, ''];
}

function footprint(result: BenchResult): string[] {
  const perEvent = (bytes: number): string => (bytes / result.events).toFixed(1);
  const { shard, deduplication } = result.footprint;
  const kept = perEvent(shard - deduplication);
  return [
    `Disk: ${kept} bytes an event, and ${perEvent(deduplication)} for a week to tell duplicates apart. Memory after all questions: ${ENGINE_NAMES.map(
      (name) => `${name} ${Math.round((result.memory[name] ?? 0) / 1e6)} MB`,
    ).join(', ')}.`,
    '',
  ];
}

function ingestTable(ingest: Ingest, load: BulkLoad): string[] {
  const bulkRate = load.events / load.seconds;
  return table(
    ['Ingest', 'events/s', 'of JSON.parse on one thread', 'p50 ms', 'p99 ms'],
    [
      [
        'batches of 100, 8 connections',
        number(Math.round(ingest.batches.eventsPerSecond)),
        ratio(ingest.batches.eventsPerSecond / ingest.parseBatches),
        milliseconds(ingest.batches.p50),
        milliseconds(ingest.batches.p99),
      ],
      ['bulk (NDJSON, one connection)', number(Math.round(bulkRate)), ratio(bulkRate / ingest.parseLines), '', ''],
      ['JSON.parse of the batches', number(Math.round(ingest.parseBatches)), '1.00', '', ''],
      ['JSON.parse line by line', number(Math.round(ingest.parseLines)), '1.00', '', ''],
    ],
  );
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map((_, i) => (i === 0 ? '---' : '---:'))), ...rows.map(line)];
}

function milliseconds(value: number): string {
  return value < 10 ? value.toFixed(2) : value.toFixed(1);
}

function ratio(value: number): string {
  return value.toFixed(2);
}

function number(value: number): string {
  return value.toLocaleString('en-US');
}
