import { expect } from 'chai';
import { newWorld, openControl, TESTER } from './open-control.ts';
import { refusal } from '../support/refusal.ts';

const codes = (outcomes: readonly PromiseSettledResult<unknown>[]): string[] =>
  outcomes.map(({ status }) => status).sort();

describe('changes of the control database', () => {
  it('that check and act let nobody in between, from the same connection or another', async () => {
    const { control, organization, folder, clock } = await newWorld();
    const other = await openControl(folder, clock);
    await control.organizations.setLimits(organization.id, { projects: 3 }, TESTER);
    const create = (from: typeof control, name: string) => from.projects.create(organization.id, name, TESTER);
    const outcomes = await Promise.allSettled([
      create(control, 'a'),
      create(other, 'b'),
      create(control, 'c'),
      create(other, 'd'),
    ]);
    expect(codes(outcomes)).to.deep.equal(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
    expect(await other.projects.list(organization.id)).to.have.length(3);
  });

  it('are seen by nobody before they are whole, and by nobody when they fail', async () => {
    const { control, project, organization } = await newWorld();
    const steps: string[] = [];
    const { promise: halfway, resolve: halfDone } = Promise.withResolvers<void>();
    const failing = refusal(() =>
      control.together(async () => {
        await control.projects.suspend(project.id, { by: 'operator', what: 'all', reason: 'half' }, TESTER);
        halfDone();
        await new Promise((resolve) => setImmediate(resolve));
        expect((await control.projects.get(project.id)).suspensions, 'inside').to.have.length(1);
        steps.push('fails');
        await control.tokens.revoke(project.id, 'tok_x', TESTER);
      }),
    );
    await halfway;
    const seen = control.projects.get(project.id);
    const created = control.projects.create(organization.id, 'Later', TESTER).then(() => steps.push('is written'));
    expect((await failing).code).to.equal('not_found');
    expect((await seen).suspensions).to.deep.equal([]);
    await created;
    expect(steps).to.deep.equal(['fails', 'is written']);
    const { entries } = await control.audit.page(organization.id);
    expect(entries.map(({ action }) => action)).to.deep.equal(['project.create', 'project.create']);
  });

  it('that a key was just read before leave nothing of it in memory', async () => {
    const { control, project, secretKey } = await newWorld();
    const { token, key } = await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    const reading = control.credentials.find(key);
    await control.tokens.revoke(project.id, token.id, TESTER);
    await reading;
    expect(await control.credentials.find(key)).to.equal(null);
    expect((await control.credentials.find(secretKey))?.kind).to.equal('secret');
  });

  it('of counters lose nothing that is counted while others are written', async () => {
    const { control, project, folder, clock } = await newWorld();
    const day = '2026-01-15';
    const flushes: Promise<void>[] = [];
    for (let n = 0; n < 20; n++) {
      control.usage.addQueries(project.id, day, 1, 2);
      if (n % 3 === 0) flushes.push(control.flush());
      else await Promise.resolve();
    }
    await Promise.all(flushes);
    await control.flush();
    const [row] = await (await openControl(folder, clock)).usage.ofProject(project.id, { from: day, to: day });
    expect([row?.queries_run, row?.query_ms]).to.deep.equal([20, 40]);
  });
});
