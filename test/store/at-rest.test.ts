import { monotonic } from '../../lib/base/monotonic.ts';
import { expect } from 'chai';
import { compileQuery } from '../../lib/dsl/compile.ts';
import type { EventStore } from '../../lib/store/event-store.ts';
import { atEnds } from '../support/at-ends.ts';
import { WriterProbe } from '../support/shard-rows.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const project = { id: 'prj_a', orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'anonymized' } as const;

/** Whichever side makes the first snapshot. */
describe('a project that was not used since the start', () => {
  atEnds(() => {
    let folder: string;
    let store: EventStore;
    const open = async (): Promise<void> => {
      store = await openSmallStore(folder, { threads: 2 });
    };
    const send = async (...users: readonly string[]): Promise<void> => {
      const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
      const events = users.map((user_id) => ({ event_type: 'e', user_id }));
      const body = new Uint8Array(Buffer.from(JSON.stringify({ events })));
      const sent = await store.append({ project, kind: 'track', context, body, encoding: 'identity' });
      expect(sent).to.include({ accepted: users.length });
    };
    const count = async (): Promise<unknown> => {
      const now = Date.now() + 1;
      const { plan } = compileQuery('* | last 7 d | count', {
        now,
        timezone: { project: 'UTC' },
        limit: 100,
        offset: 0,
      });
      return (await store.query(project, plan, { deadline: monotonic() + 300_000 })).table.rows[0]?.[0];
    };
    beforeEach(async () => {
      folder = temporaryFolder();
      await open();
    });
    afterEach(() => store.close());

    it('has no events before its first', async () => {
      expect([await count(), await count()]).to.deep.equal([0, 0]);
      await send('ann');
      expect(await count()).to.equal(1);
    });

    it('has the events of an earlier run, and those that come before and between its first questions', async () => {
      await send('ann', 'bob');
      await store.close();
      await open();
      expect(await Promise.all([count(), count(), count()])).to.deep.equal([2, 2, 2]);
      await send('eve');
      expect(await count()).to.equal(3);
      await store.close();
      await open();
      await send('joe');
      expect([await count(), await count()]).to.deep.equal([4, 4]);
    });

    it('has what an earlier run left in its journal', async () => {
      await send('ann');
      await store.close();
      const killed = new WriterProbe(folder);
      killed.track([{ event_type: 'e', user_id: 'bob' }], Date.now(), project.id);
      await open();
      expect(await count()).to.equal(2);
    });

    it('lacks whom it erases before its first question', async () => {
      await send('ann', 'bob');
      await store.close();
      await open();
      const [first, erased] = await Promise.all([count(), store.eraseUser(project, 'ann')]);
      expect([1, 2]).to.include(first);
      expect(erased).to.include({ events: 1 });
      expect(await count()).to.equal(1);
      await send('eve');
      expect(await count()).to.equal(2);
    });
  }, ['bytes of a shard at rest']);
});
