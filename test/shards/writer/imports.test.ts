import { expect } from 'chai';
import { COLUMN } from '../../../lib/shards/segment/columns.ts';
import { openForReading } from '../../../lib/shards/file/shard-file.ts';
import { INGEST_RULES } from '../../../lib/shards/request.ts';
import { compacted } from '../../support/compacted.ts';
import { NOW, PROJECT, rowsOf, WriterProbe, type Sent } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const WEEK = 7 * 86_400_000;
const LATER = NOW + 10 * WEEK;
/** Ids of every kind. */
const IDS = ['0123456789abcdef', '550e8400-e29b-41d4-a716-446655440000', 'order 17'];

const events = (more: Sent = {}): Sent[] => IDS.map((id) => ({ event_type: 'e', insert_id: id, ...more }));
const imported = (id = 'a'): Sent[] => events({ import_id: id });

describe('insert ids of imports', () => {
  let folder: string;
  let probe: WriterProbe;
  beforeEach(() => {
    folder = temporaryFolder();
    probe = new WriterProbe(folder);
  });

  const stored = (): number => rowsOf(probe.snapshot()).length;
  const restart = (): void => {
    probe = new WriterProbe(folder);
  };

  it('are remembered by imports, whichever they are, as long as their events are there', () => {
    probe.track(imported(), NOW);
    probe.track(imported(), LATER); // while they are pending
    expect(stored()).to.equal(3);
    probe.track(imported(), LATER);
    probe.track(imported('b'), LATER);
    expect(stored()).to.equal(3);
    probe.ask({ op: 'retain', project: PROJECT, now: LATER });
    restart();
    probe.track([...imported(), { event_type: 'e', insert_id: 'new', import_id: 'a' }], LATER);
    expect(stored()).to.equal(4);
  });

  it('are forgotten after 7 days by events of no import, and those of others by imports', () => {
    probe.track(imported(), NOW);
    expect(stored()).to.equal(3);
    probe.track(events(), NOW + WEEK - 1);
    expect(stored()).to.equal(3);
    probe.track(events(), NOW + WEEK);
    expect(stored()).to.equal(6);
    probe.track(imported(), NOW + 2 * WEEK);
    expect(stored()).to.equal(6);
    const other = { event_type: 'e', insert_id: 'x' };
    probe.track([other], NOW);
    probe.track([{ ...other, import_id: 'a' }], NOW + WEEK - 1);
    expect(stored()).to.equal(7);
    probe.track([{ ...other, import_id: 'a' }], NOW + WEEK);
    expect(stored()).to.equal(8);
  });

  it('stay known where segments are merged after those of others expired, and keep no arrivals of these', () => {
    probe.track([...imported(), { event_type: 'e', insert_id: 'mine' }], NOW);
    probe.snapshot();
    probe.track([{ event_type: 'e', insert_id: 'his', import_id: 'b' }, ...events({ insert_id: 'other' })], NOW);
    const snapshot = probe.snapshot();
    const { file } = snapshot;
    const segments = snapshot.segments.map(({ id }) => id);
    const task = {
      project: PROJECT.id,
      segments,
      snapshot,
      idsSince: LATER - WEEK,
      heavy: false,
      texts: null,
      idGroup: null,
    };
    probe.ask(compacted(task));
    restart();
    probe.track([...imported(), { event_type: 'e', insert_id: 'his', import_id: 'b' }], LATER);
    expect(stored()).to.equal(6);
    const shard = openForReading(file);
    const sql = 'SELECT ids_first, ids_last, imports FROM segments WHERE live = 1';
    expect(shard.prepare(sql).raw().all()).to.deep.include([0, 0, 1]);
    const field = shard.prepare<[number], number>('SELECT count(*) FROM columns WHERE field = ?').pluck();
    expect(field.get(COLUMN.insertFilter)).to.be.at.least(1);
    shard.close();
    probe.track([{ event_type: 'e', insert_id: 'mine' }], LATER);
    expect(stored()).to.equal(7);
  });

  it('are those of the user that were erased no more', () => {
    probe.track(
      imported().map((event) => ({ ...event, user_id: 'u1' })),
      NOW,
    );
    probe.track(events({ insert_id: 'other', import_id: 'a', user_id: 'u2' }), NOW);
    expect(probe.erase('u1').events).to.equal(3);
    probe.track([...imported(), ...events({ insert_id: 'other', import_id: 'a' })], LATER);
    expect(stored()).to.equal(4);
  });

  it('mean nothing in bodies of earlier releases, which a journal may have', () => {
    for (const rules of [INGEST_RULES - 1, INGEST_RULES])
      probe.ask({
        ...{ op: 'append', kind: 'track', project: PROJECT, encoding: 'identity' },
        body: new Uint8Array(Buffer.from(JSON.stringify({ events: [{ event_type: 'e', import_id: 'a' }] }))),
        context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null, rules },
      });
    const { file } = probe.snapshot();
    const shard = openForReading(file);
    expect(shard.prepare("SELECT count(*) FROM fields WHERE key = '_import_id'").pluck().get()).to.equal(1);
    shard.close();
    expect(stored()).to.equal(2);
  });
});
