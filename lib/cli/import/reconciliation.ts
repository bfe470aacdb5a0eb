/** Source and stored, side by side. */
import type { ApiClient } from '../client/api-client.ts';
import { ServerError } from '../client/client-error.ts';
import { askRows, quoted } from '../query/ask.ts';
import type { Figures } from './summary.ts';

/** What is stored of an import; null: the key may not ask, or the server knows no imports. */
export async function storedOf(api: ApiClient, importId: string): Promise<Figures | null> {
  const q = `* | with bots | where _import_id = ${quoted(importId)} | count, unique user_id, min time, max time | all`;
  try {
    const { rows } = await askRows(api, q, { timezone: 'UTC' });
    const [row = {}] = rows;
    const [events, users, first, last] = Object.values(row);
    return { events: Number(events ?? 0), users: Number(users ?? 0), first_day: dayOf(first), last_day: dayOf(last) };
  } catch (error) {
    if (error instanceof ServerError && (error.status === 403 || error.status === 400)) return null;
    throw error;
  }
}

const dayOf = (time: unknown): string | null => (typeof time === 'string' ? time.slice(0, 10) : null);
