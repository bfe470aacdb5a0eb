/** What a month of usage amounts to: the figures above the chart. */
import type { UsageRow } from '../../../control/types.ts';
import { brief, bytes, whole } from '../figures.ts';
import type { Html } from '../html.ts';
import { html } from '../html.ts';

type Counter = Exclude<keyof UsageRow, 'date' | 'bytes_stored'>;

export function usageFigures(days: readonly UsageRow[], today: string): Html {
  const sum = (field: Counter): number => days.reduce((total, row) => total + row[field], 0);
  const stored = days.findLast(({ date }) => date <= today)?.bytes_stored ?? 0;
  return html`<dl class="figures">
    ${figure('Events stored', sum('events_stored'))} ${figure('Duplicates skipped', sum('events_duplicate'))}
    ${figure('Rejected or dropped', sum('events_rejected') + sum('events_dropped'))}
    ${figure('Queries', sum('queries_run'))}
    <div>
      <dt>On disk</dt>
      <dd>${bytes(stored)}</dd>
    </div>
  </dl>`;
}

function figure(name: string, value: number): Html {
  return html`<div>
    <dt>${name}</dt>
    <dd title="${whole(value)}">${value < 100_000 ? whole(value) : brief(value)}</dd>
  </div>`;
}
