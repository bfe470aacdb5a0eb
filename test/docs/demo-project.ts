/** The demo project at a fixed moment, in its own store: the answers on the pages of docs/ come from it. */
import { askedRange } from '../../lib/dsl/plan/shown-range.ts';
import { monotonic } from '../../lib/base/monotonic.ts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig } from '../../lib/base/config/config.ts';
import { DAY } from '../../scripts/demo/calendar.ts';
import { DEMO_COHORTS } from '../../scripts/demo/demo-cohorts.ts';
import { DEMO_DAYS, makeDemo, type DemoData } from '../../scripts/demo/demo-data.ts';
import { compileQuery } from '../../lib/dsl/compile.ts';
import { frameAnswer } from '../../lib/dsl/format/frame.ts';
import { notesOfResult } from '../../lib/dsl/hints/notes.ts';
import { wantsSuggestions, withSuggestions } from '../../lib/dsl/hints/suggest.ts';
import { AppError } from '../../lib/base/errors.ts';
import { silentLog } from '../../lib/base/log.ts';
import { storedElsewhere, wantsMore } from '../../lib/router/query/stored-elsewhere.ts';
import type { ProjectRef } from '../../lib/base/project.ts';
import { openStore } from '../../lib/server/open-store.ts';
import type { EventStore, RequestContext } from '../../lib/store/event-store.ts';

/** The pages' "now": a Friday evening. Milliseconds since the epoch. */
export const PAGE_NOW = Date.UTC(2026, 10, 20, 18);

const PROJECT: ProjectRef = {
  id: 'prj_demo',
  orgId: 'org_test',
  weight: 1,
  retentionDays: null,
  ipPolicy: 'anonymized',
};
const TRUSTED: RequestContext = { receivedAt: PAGE_NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null };
const COHORTS = {
  names: [...DEMO_COHORTS.keys()],
  conditions: new Map([...DEMO_COHORTS].map(([name, { where }]) => [name, where])),
};
/** Milliseconds that one query may take. */
const PATIENCE = 300_000;
/** Events in one piece of the stream. */
const PIECE = 10_000;

export interface DemoProject {
  /** The Markdown answer without its duration, or the message of an error. */
  answer(q: string): Promise<string>;
  /** The body of the error that a query gets. Throws if there is none. */
  errorBody(q: string): Promise<string>;
  /** Closes the store and removes its folder. */
  close(): Promise<void>;
}

export async function openDemoProject(): Promise<DemoProject> {
  const folder = mkdtempSync(join(tmpdir(), 'windlass-docs-'));
  const store = await openStore(readConfig({ WINDLASS_DATA: folder, WINDLASS_THREADS: '1' }), silentLog());
  const today = Math.floor(PAGE_NOW / DAY) * DAY;
  const demo = makeDemo(today - (DEMO_DAYS - 1) * DAY, PAGE_NOW);
  // In the order of `npm start`: plans sent with purchases come later and win.
  await sendIdentities(store, demo);
  await sendEvents(store, demo);
  return {
    answer: (q) => ask(store, q).catch((error: unknown) => userError(error).message),
    errorBody: async (q) => {
      const error = await ask(store, q).then(() => null, userError);
      if (error === null) throw new Error(`no error: ${q}`);
      const { code, message, position, hints } = error.data;
      return JSON.stringify({ error: message, code, position, hints }, null, 2);
    },
    close: async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Each as if it arrived with the user's first event: an identify counts as activity, too. */
async function sendIdentities(store: EventStore, { events, identities }: DemoData): Promise<void> {
  const first = new Map(events.toReversed().map(({ user_id, time }) => [user_id, Date.parse(time)]));
  const answers = identities.map((identity) =>
    store.append({
      project: PROJECT,
      kind: 'identify',
      context: { ...TRUSTED, receivedAt: first.get(identity.user_id) ?? PAGE_NOW },
      body: new Uint8Array(Buffer.from(JSON.stringify(identity))),
      encoding: 'identity',
    }),
  );
  await Promise.all(answers);
}

async function sendEvents(store: EventStore, { events }: DemoData): Promise<void> {
  const stream = store.bulk(PROJECT, 'track', TRUSTED);
  for (let from = 0; from < events.length; from += PIECE) {
    const lines = events.slice(from, from + PIECE).map((event) => `${JSON.stringify(event)}\n`);
    await stream.write([new Uint8Array(Buffer.from(lines.join('')))]);
  }
  const { accepted } = await stream.end();
  if (accepted !== events.length) throw new Error(`${accepted} of ${events.length} events of the demo were taken`);
}

async function ask(store: EventStore, q: string): Promise<string> {
  const { plan, notes: early } = await compile(store, q);
  const result = await store.answer(PROJECT, plan, { format: 'llm', deadline: monotonic() + PATIENCE });
  const known = wantsMore(plan, result)
    ? await storedElsewhere(store, { project: PROJECT, plan, result }, { deadline: monotonic() + PATIENCE })
    : null;
  const { page } = result;
  const { after } = frameAnswer('llm', {
    page,
    range: askedRange(plan),
    zone: plan.zone,
    rowsScanned: result.observations.rowsScanned,
    elapsedMs: 0,
    mode: 'embedded',
    notes: [...early, ...notesOfResult(plan, result, known)],
  });
  return (Buffer.from(page.text).toString('utf8') + after).replace(/, 0 ms$/m, '').trimEnd();
}

async function compile(store: EventStore, q: string): Promise<ReturnType<typeof compileQuery>> {
  try {
    const earliest = (await store.extent(PROJECT))?.first ?? null;
    return compileQuery(q, {
      now: PAGE_NOW,
      timezone: { project: 'UTC' },
      limit: 100,
      offset: 0,
      earliest,
      cohorts: COHORTS,
    });
  } catch (error) {
    if (!(error instanceof AppError) || !wantsSuggestions(error)) throw error;
    throw withSuggestions(error, await store.catalog(PROJECT));
  }
}

function userError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  throw error;
}
