import { clientCommand } from '../client/client-command.ts';
import { counted } from '../client/counted.ts';
import { asRecord, asRecords } from '../client/records.ts';
import { readStdin } from '../client/stdin.ts';
import { askExplanation } from './ask.ts';
import type { JsonRecord } from '../../base/is-record.ts';

const MAX_STDIN = 131_072; // bytes

export const explain = clientCommand({
  usage: 'explain <q>',
  summary: 'Show how a query runs: its plan and the time of each stage',
  examples: [
    ['wl explain "signup | last 7d | count by day"', 'the plan and the times'],
    ['wl explain - --json < question.txt', 'everything the server reports, for programs'],
  ],
  options: { q: { type: 'string', demandOption: true, describe: 'The query; - reads it from stdin' } },
  completes: { q: 'query' },
  run: async ({ q }, { api, output, signal }) => {
    const explanation = await askExplanation(api, q === '-' ? await readStdin(MAX_STDIN, signal) : q);
    if (output.format === 'json') {
      output.json(explanation);
      return;
    }
    output.raw(`${planLines(explanation).join('\n')}\n\n`);
    const times = asRecords(explanation['times']).map(({ stage, ms }) => [stage, ms]);
    const rows = counted(Number(explanation['rows_scanned']), 'row');
    const parts = counted(asRecords(explanation['parts']).length, 'part');
    await output.table({
      columns: [{ name: 'stage' }, { name: 'ms', type: 'number' }],
      rows: times,
      footer: [`${rows} scanned in ${parts}`],
    });
  },
});

/** The executed plan: the result of the last pass that changed it. */
function planLines(explanation: JsonRecord): readonly string[] {
  const plans = asRecords(explanation['passes']).filter(({ changed }) => changed === true);
  const { plan } = asRecord(plans.at(-1) ?? {});
  return Array.isArray(plan) ? plan.map(String) : [];
}
