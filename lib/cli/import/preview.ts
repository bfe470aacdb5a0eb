/** `--dry-run`: what would be sent. */
import type { ClientSession } from '../client/client-command.ts';
import { isRecord } from '../../base/is-record.ts';
import { DryRun } from '../track/dry-run.ts';
import { counted } from '../text.ts';
import type { Taken, ImportReading } from './reading.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Events, and identifies, that are shown. */
const MOST_SHOWN = 10;

/** What is shown first of an event, where any of those shown has it. */
const COLUMNS = ['time', 'event_type', 'user_id', 'device_id', 'session_id', 'insert_id'];

export class Preview {
  readonly #events: Fields[] = [];
  readonly #identifies: Fields[] = [];
  readonly #fields = new DryRun(() => undefined);

  add({ events, identifies }: Taken): void {
    this.#events.push(...events.slice(0, MOST_SHOWN - this.#events.length));
    this.#identifies.push(...identifies.slice(0, MOST_SHOWN - this.#identifies.length));
    this.#fields.take(events);
  }

  /** @param importId The id that it would have. */
  async print(
    { output, terminal }: ClientSession,
    { summary, losses, bad }: ImportReading,
    importId: string,
  ): Promise<void> {
    const names = [...summary.names].sort(([, a], [, b]) => b - a);
    const { rows } = this.#fields.table();
    if (output.format === 'json') {
      output.json({
        import_id: importId,
        ...summary.figures,
        profiles: summary.profiles,
        unreadable: bad,
        sample: [...this.#events, ...this.#identifies],
        events_by_name: Object.fromEntries(names),
        fields: rows.map(([field, filled]) => ({ field, filled })),
        lost: losses.rows,
      });
      return;
    }
    const table = (columns: readonly string[], cells: readonly (readonly unknown[])[]): Promise<void> =>
      output.table({ columns: columns.map((name) => ({ name })), rows: cells });
    const shown = this.#events.length > 0 ? this.#events : this.#identifies;
    const columns = [...COLUMNS, 'event_properties', 'user_properties'].filter((name) =>
      shown.some((one) => isFilled(one[name])),
    );
    await table(columns, shown.map((one) => columns.map((name) => one[name] ?? null))); // prettier-ignore
    output.heading('Events');
    await table(['event_type', 'events'], names);
    output.heading('Filled');
    await table(['field', 'records'], rows.map(([field, filled]) => [field, filled])); // prettier-ignore
    if (losses.rows.length > 0) {
      output.heading('Lost');
      await table(['field', 'records', 'why'], losses.rows.map(({ field, records, why }) => [field, records, why])); // prettier-ignore
    }
    const { events } = summary.figures;
    terminal.say(
      `wl: nothing was sent; the import would be ${importId}, of ${counted(events, 'event')} and ${counted(summary.profiles, 'profile or binding', 'profiles and bindings')}`,
    );
  }
}

const isFilled = (value: unknown): boolean =>
  value !== undefined && value !== null && !(isRecord(value) && Object.keys(value).length === 0);
