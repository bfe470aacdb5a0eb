import { expect } from 'chai';
import { sharedService } from '../../support/shared-service.ts';
import { clientOf, type ClientService } from '../client-service.ts';

describe('wl cohort', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
  });

  it('saves, shows, lists and deletes', async () => {
    const where = 'did(purchase) >= 2 in last 30d';
    const saved = await service.json(['cohort', 'save', 'big buyers', where, '--description', 'Twice or more']);
    expect(saved).to.include({ name: 'big buyers', where, description: 'Twice or more', version: 1, unchanged: false });
    expect(await service.json(['cohort', 'save', 'big buyers', 'did(purchase)'])).to.include({ version: 2, description: null }); // prettier-ignore
    expect(await service.json(['cohort', 'show', 'big buyers'])).to.include({ version: 2, where: 'did(purchase)' });
    expect(await service.json(['cohort', 'show', 'big buyers', '--revision', '1'])).to.include({ version: 1, where });
    expect(await service.json(['cohort', 'list'])).to.have.length(1).and.to.have.nested.property('[0].name', 'big buyers'); // prettier-ignore
    const { code, stderr } = await service.wl(['cohort', 'delete', 'big buyers']);
    expect([code, stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('--yes'));
    expect(await service.json(['cohort', 'delete', 'big buyers', '--yes'])).to.deep.equal({ deleted: true, name: 'big buyers' }); // prettier-ignore
    expect(await service.json(['cohort', 'list'])).to.deep.equal([]);
  });

  it('tells what is wrong with a condition, and where', async () => {
    const { code, stderr } = await service.wl(['cohort', 'save', 'x', 'user.plan = "pro" and _country = "DE"']);
    expect(code).to.equal(1);
    expect(stderr)
      .to.include('expected a field of people')
      .and.to.match(/\n +\^/);
    const none = await service.wl(['cohort', 'show', 'none']);
    expect([none.code, none.stderr]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('no such cohort')); // prettier-ignore
  });

  it('names cohorts to whoever completes a name, a condition or a query', async () => {
    const own = clientOf(await service.another());
    await own.json(['cohort', 'save', 'buyers', 'did(purchase)']);
    const env = { HOME: service.folder }; // names are kept there
    const completed = async (line: string): Promise<string[]> => {
      const { stdout } = await own.wl(['__complete', 'fish', line], { env });
      return stdout.trim().split('\n').slice(1).map((one) => one.split('\t')[0]!); // prettier-ignore
    };
    expect(await completed('wl cohort show b')).to.deep.equal(['buyers']);
    expect(await completed('wl query \'* | where cohort "b')).to.deep.equal(['* | where cohort "buyers"']);
    expect(await completed("wl cohort save x 'did(purchase) and cohort \"b")).to.deep.equal(['did(purchase) and cohort "buyers"']); // prettier-ignore
  });
});
