import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';
import { clientOf, type ClientService } from '../client-service.ts';

describe('wl annotation', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await (await sharedService()).another());
  });

  it('adds, once for a time, lists and deletes', async () => {
    const at = '2026-11-27T00:00:00+01:00';
    const added = await service.json(['annotation', 'add', 'Black Friday', '--at', at]);
    expect(added).to.include({ text: 'Black Friday', at: '2026-11-26T23:00:00.000Z' });
    expect(await service.json(['annotation', 'add', 'Black Friday', '--at', at])).to.deep.equal(added);
    const now = await service.json(['annotation', 'add', 'Version 2.1']);
    const { id } = now as { id: string };
    expect(await service.json(['annotation', 'list'])).to.deep.equal([now, added].toSorted((a, b) => timeOf(a) - timeOf(b))); // prettier-ignore
    expect(await service.json(['annotation', 'delete', id])).to.deep.equal({ deleted: true, id });
    expect(await service.json(['annotation', 'list'])).to.deep.equal([added]);
  });

  it('says what is wrong with a time, and what there is not', async () => {
    const wrong = await service.wl(['annotation', 'add', 'x', '--at', 'soon']);
    expect([wrong.code, wrong.stderr.includes('must be a time since 1970')]).to.deep.equal([1, true]);
    const none = await service.wl(['annotation', 'delete', 'ann_none']);
    expect([none.code, none.stderr.toLowerCase().includes('no such annotation')]).to.deep.equal([1, true]);
  });
});

const timeOf = (annotation: unknown): number => Date.parse((annotation as { at: string }).at);
