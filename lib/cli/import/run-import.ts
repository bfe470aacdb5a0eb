/** Sends what files become, from where an earlier run has come to, and holds what is stored against what was read. */
import type { ClientSession } from '../client/client-command.ts';
import { ClientError, Interrupted, keyHints } from '../client/client-error.ts';
import { counted } from '../text.ts';
import type { MapUse } from '../track/field-map.ts';
import { Progress } from '../track/progress.ts';
import type { GivenFile } from './files.ts';
import type { ImportFormat } from './format.ts';
import type { ImportReading } from './reading.ts';
import { storedOf } from './reconciliation.ts';
import { Sending } from './sending.ts';
import { Stamps } from './stamps.ts';
import { ImportProgress } from './standing.ts';
import type { Figures } from './summary.ts';

interface Import {
  readonly id: string;
  readonly digests: readonly string[];
  readonly files: readonly GivenFile[];
  readonly format: ImportFormat;
  /** Which paths of a map the records have. */
  readonly use: MapUse | null;
}

/** Returns whether everything was imported. Rejects with ClientError, or Interrupted, if it ends early: the same command goes on. */
export async function runImport(reading: ImportReading, one: Import, session: ClientSession): Promise<boolean> {
  const { api, terminal } = session;
  const say = (text: string): void => terminal.say(`wl: ${text}`);
  const standing = new ImportProgress(
    { id: one.id, host: api.host, key: serverKey(session), digests: one.digests },
    say,
  );
  const skipped = await goOnFrom(standing, one.id, session);
  const progress = new Progress(
    terminal,
    one.files.reduce((bytes, { size }) => bytes + size, 0),
  );
  const show = (): void =>
    progress.show({ events: reading.summary.figures.events, retries: api.retries, bytes: reading.bytes });
  const sending = new Sending(api, reading.report, () => {
    standing.keep(sending.done);
    show();
  });
  try {
    await send(reading, one, { sending, skipped, show });
  } catch (error) {
    await sending.settled();
    standing.keep(sending.done, true);
    throw stopped(error, sending.done, say);
  } finally {
    progress.end();
    for (const told of [...reading.report.told(), ...reading.losses.told()]) say(told);
  }
  standing.forget();
  return finish(reading, sending, one, session);
}

/** Throws ClientError unless the key is that of a server: only such a key may say what it knows of the past. */
function serverKey({ settings }: ClientSession): string {
  const key = settings.apiKey?.value ?? null;
  if (key !== null && /^(?:sk|aat)_/.test(key)) return key;
  throw new ClientError('An import needs the key of a server: it says what a page may not.', keyHints('import'));
}

/** Records that were sent before: none if what was stored of them is not there any more. */
async function goOnFrom(standing: ImportProgress, id: string, { api, terminal }: ClientSession): Promise<number> {
  const records = standing.read();
  if (records === 0) return 0;
  const stored = await storedOf(api, id);
  if (stored === null || stored.events === 0) {
    // Else a run that is killed before it keeps its own number would leave this one to the next.
    standing.forget();
    return 0;
  }
  terminal.say(`wl: goes on after the ${counted(records, 'record')} that an earlier run has sent`);
  return records;
}

async function send(
  reading: ImportReading,
  { id, use }: Import,
  { sending, skipped, show }: { sending: Sending; skipped: number; show: () => void },
): Promise<void> {
  const stamps = new Stamps(id);
  let records = 0;
  for await (const list of reading.all()) {
    if (records === 0) checkMap(use);
    for (const { line, events, identifies } of list) {
      // Also of what was sent before: ids count equal records.
      const texts = events.map((event) => stamps.json(event));
      if (records++ < skipped) sending.skip();
      else
        await sending.add(
          texts,
          identifies.map((identify) => JSON.stringify(identify)),
          line,
        );
    }
    show();
  }
  await sending.end();
}

/** Before anything is sent: what looks misspelt would be missing in every event. */
function checkMap(use: MapUse | null): void {
  const problem = use?.problem(true) ?? null;
  if (problem !== null) throw new ClientError(problem);
}

function stopped(error: unknown, done: number, say: (text: string) => void): unknown {
  const next = 'Run the same command again: it goes on from there.';
  const where = done === 0 ? 'before any record was stored' : `after ${counted(done, 'record')}`;
  if (error instanceof Interrupted) {
    say(`stopped ${where}. ${next}`);
    return error;
  }
  if (!(error instanceof ClientError)) return error;
  return new ClientError(`Stopped ${where}: ${error.message}`, [...error.hints, next]);
}

async function finish(
  { bad, summary }: ImportReading,
  { rejected }: Sending,
  { id, format }: Import,
  { api, output, terminal }: ClientSession,
): Promise<boolean> {
  const source = summary.figures;
  const stored = source.events === 0 ? null : await storedOf(api, id);
  const { profiles } = summary;
  const unread = bad + rejected;
  if (output.format === 'json')
    output.json({ import_id: id, format: format.name, profiles, not_imported: unread, source, stored });
  else {
    const row = (name: string, { events, users, first_day: first, last_day: last }: Figures): readonly unknown[] => [name, events, users, first, last]; // prettier-ignore
    await output.table({
      columns: ['', 'events', 'users', 'first day', 'last day'].map((name) => ({ name })),
      rows: [row('source', source), ...(stored === null ? [] : [row('stored', stored)])],
      footer: [
        `import ${id}`,
        ...(profiles === 0 ? [] : [counted(profiles, 'profile or binding', 'profiles and bindings')]),
      ],
    });
  }
  if (source.events > 0 && stored === null)
    terminal.say('wl: what is stored was not counted: the key may not query, or the server is older than this command');
  if (stored !== null && stored.events !== source.events)
    terminal.say(`wl: ${difference(source.events - stored.events, rejected)}`);
  return unread === 0;
}

function difference(missing: number, rejected: number): string {
  if (missing < 0) return `${counted(-missing, 'event')} more are stored: other imports have the same id`;
  const repeated = missing - rejected;
  const parts = [
    ...(rejected > 0 ? [`${rejected.toLocaleString('en')} rejected`] : []),
    ...(repeated > 0
      ? [`${repeated.toLocaleString('en')} stored once though more often in the source, or by an import before`]
      : []),
  ];
  return `of ${counted(missing, 'event')} nothing is stored: ${parts.join(', ')}`;
}
