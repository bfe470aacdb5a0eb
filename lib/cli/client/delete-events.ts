/** What `wl events delete` and `wl import undo` share: count first, ask, then delete. */
import { asRecord, type ClientSession } from './client-command.ts';
import { confirmByTyping, mustBeAsked } from './prompt.ts';

/** As `DELETE /events` takes it. */
export interface EventSelection {
  readonly event?: readonly string[];
  readonly range?: string;
  readonly import_id?: string;
  readonly where?: string;
}

/** @param name What whoever is asked must type. @param what The events, in words. */
export async function deleteEvents(
  selection: EventSelection,
  { name, what, isDry }: { readonly name: string; readonly what: string; readonly isDry: boolean },
  { api, output, terminal, globals }: ClientSession,
): Promise<void> {
  const ask = async (dry_run: boolean): Promise<Record<string, unknown>> =>
    asRecord(
      await api.json({ method: 'DELETE', path: '/events', key: 'privacy', retry: 'rate', body: JSON.stringify({ ...selection, dry_run }) }), // prettier-ignore
    );
  if (!isDry) mustBeAsked(`Delete ${what}?`, { globals, terminal });
  const counted = await ask(true);
  const matching = Number(counted['matching']);
  if (isDry || matching === 0) return output.record(counted);
  const events = `${matching.toLocaleString('en')} ${matching === 1 ? 'event' : 'events'}`;
  await confirmByTyping(name, `Permanently delete ${events} at ${api.host}: ${what}?`, { globals, terminal });
  await output.record(await ask(false));
}
