import { expect } from 'chai';
import { clientOf, type ClientService } from '../client-service.ts';
import { startTestService, type TestService } from '../../support/service.ts';

describe('wl events', () => {
  let test: TestService;
  let service: ClientService;
  before(async () => {
    test = await startTestService();
    service = clientOf(test);
  });
  after(() => test.stop());

  const send = async (importId: string): Promise<void> => {
    const events = Array.from({ length: 4 }, (_, n) => ({ event_type: 'e', import_id: importId, insert_id: `${importId} ${n}`, event_properties: { n } })); // prettier-ignore
    expect((await test.post('/track', { events })).status).to.equal(200);
  };
  const left = async (): Promise<unknown> => (await service.rows('* | all | count'))[0]?.['count'];

  it('undo deletes an import once it is confirmed, which may run again then', async () => {
    await send('a');
    await send('b');
    expect(await service.json(['events', 'undo', 'a', '--dry-run'])).to.deep.equal({ matching: 4, deleted: 0, dry_run: true }); // prettier-ignore
    const { code, stderr } = await service.wl(['events', 'undo', 'a']);
    expect([code, stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('use --yes'));
    expect(await left()).to.equal(8);
    expect(await service.json(['events', 'undo', 'a', '--yes'])).to.deep.equal({ matching: 4, deleted: 4, dry_run: false }); // prettier-ignore
    await send('a');
    expect(await left()).to.equal(8);
    expect(await service.json(['events', 'undo', 'c', '--yes'])).to.deep.equal({ matching: 0, deleted: 0, dry_run: true }); // prettier-ignore
  });

  it('delete takes names, ranges, imports and conditions together', async () => {
    const del = (...args: string[]): Promise<unknown> => service.json(['events', 'delete', ...args, '--yes']);
    const deleted = { dry_run: false, matching: 1, deleted: 1 };
    expect(await del('--event', 'e', '--import-id', 'a', '--where', 'event_properties.n = 0')).to.deep.equal(deleted);
    expect(await del('--last', '1d', '--import-id', 'a', '--where', 'event_properties.n = 1')).to.deep.equal(deleted);
    const since = ['--since', '2026-01-01', '--where', 'event_properties.n = 2 and _import_id = "a"'];
    expect(await del(...since, '--until', '2026-01-02')).to.include({ matching: 0 });
    expect(await del(...since)).to.deep.equal(deleted);
    expect(await left()).to.equal(5);
  });

  it('delete says what is wrong before anything is sent', async () => {
    for (const [args, message] of [
      [[], 'say which events'],
      [['--last', '1d', '--since', '2026-01-01'], 'not both'],
      [['--event', 'e', '--until', '2026-01-01'], '--until needs a --since'],
      [['--where', 'nosuch ='], 'expected'],
    ] as const) {
      const { code, stderr } = await service.wl(['events', 'delete', ...args, '--yes']);
      expect([code, stderr], args.join(' ')).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes(message)); // prettier-ignore
    }
    expect(await left()).to.equal(5);
  });
});
