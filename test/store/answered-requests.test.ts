import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { ProjectRef } from '../../lib/base/project.ts';
import { openSmallStore } from '../support/small-store.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const ROUNDS = 120;
const PATIENCE = 60_000;
const refOf = (id: string): ProjectRef => {
  return { id, orgId: 'org_test', weight: 1, retentionDays: null, ipPolicy: 'none' };
};

describe('a request', () => {
  it('is answered though it comes while the writer ends other work, and nothing comes after it', async () => {
    const store = await openSmallStore(temporaryFolder(), { projects: () => Promise.resolve([]) });
    const context = { receivedAt: Date.now(), keyKind: 'trusted', ip: null, userAgent: null, place: null } as const;
    const send = async (id: string): Promise<string> => {
      const body = new Uint8Array(Buffer.from('{"event_type":"e"}'));
      expect(await store.append({ project: refOf(id), kind: 'track', context, body, encoding: 'identity' })).to.include(
        { accepted: 1 },
      );
      return 'answered';
    };
    const late = new AbortController();
    for (let round = 0; round < ROUNDS; round++) {
      for (const project of [`prj_${round}`, 'prj_of_all']) {
        const first = await Promise.race([send(project), pause(PATIENCE, 'late', { signal: late.signal })]);
        expect(first, `round ${round}`).to.equal('answered');
        await store.catalog(refOf(project));
        await store.extent(refOf(project));
      }
    }
    late.abort();
    await store.close();
  });
});
