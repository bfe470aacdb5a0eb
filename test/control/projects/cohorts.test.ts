import { expect } from 'chai';
import { MAX_COHORTS } from '../../../lib/control/projects/cohorts.ts';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import { MAX_VERSIONS } from '../../../lib/control/projects/dashboards.ts';
import { refusal } from '../../support/refusal.ts';
import { newWorld, TESTER as BY } from '../open-control.ts';

describe('cohorts in the control database', () => {
  let control: ControlDatabase;
  let projectId = '';
  let orgId = '';
  beforeEach(async () => {
    const world = await newWorld();
    control = world.control;
    [projectId, orgId] = [world.project.id, world.organization.id];
  });

  const save = (name: string, where: string, uses: readonly string[] = [], project = projectId) =>
    control.cohorts.write({ projectId: project, name, where, description: null, uses }, BY);
  const another = async (): Promise<string> =>
    (await control.projects.create(orgId, 'Another', BY, { exempt: true })).project.id;

  it(`keep ${MAX_VERSIONS} versions, and what is unchanged adds none`, async () => {
    expect(await save('v', 'did(a)')).to.have.property('outcome', 'created');
    expect(await save('v', 'did(a)')).to.have.property('outcome', 'unchanged');
    for (let nth = 2; nth <= MAX_VERSIONS + 2; nth++) await save('v', `did(a) >= ${nth}`);
    expect(await control.cohorts.find(projectId, 'v')).to.include({ version: MAX_VERSIONS + 2, newest: MAX_VERSIONS + 2 });
    expect(await control.cohorts.find(projectId, 'v', 2)).to.equal(null);
    expect(await control.cohorts.find(projectId, 'v', 3)).to.include({ where: 'did(a) >= 3', newest: MAX_VERSIONS + 2 });
    expect((await control.cohorts.list(projectId)).filter(({ name }) => name === 'v')).to.have.length(1);
  }); // prettier-ignore

  it(`are at most ${MAX_COHORTS} in a project, which another does not count`, async () => {
    const full = await another();
    await control.together(async () => {
      for (let nth = 0; nth < MAX_COHORTS; nth++) await save(`c ${nth}`, 'did(a)', [], full);
    });
    expect((await refusal(() => save('one more', 'did(a)', [], full))).code).to.equal('limit_reached');
    expect(await save('c 1', 'did(b)', [], full)).to.have.property('outcome', 'changed');
    expect(await save('one more', 'did(a)', [], await another())).to.have.property('outcome', 'created');
  }).timeout(30_000);

  it('have names of letters, digits, spaces and a few signs', async () => {
    for (const name of ['Käufer 2', 'a', 'x_y-z.1', 'n'.repeat(64)])
      expect(await save(name, 'did(a)'), name).to.have.property('outcome', 'created');
    for (const name of ['', ' a', 'a ', 'a"b', 'a/b', 'a\n', '😀', 'n'.repeat(65)])
      expect((await refusal(() => save(name, 'did(a)'))).code, name).to.equal('bad_request');
  });

  it('may not lead back to themselves, nor stand in each other more than four deep', async () => {
    const own = await another();
    await save('d', 'did(a)', [], own);
    await save('c', 'cohort "d"', ['d'], own);
    await save('b', 'cohort "c"', ['c'], own);
    await save('a', 'cohort "b"', ['b'], own);
    const deep = await refusal(() => save('z', 'cohort "a"', ['a'], own));
    expect(deep.message).to.include('"z" → "a" → "b" → "c" → "d"');
    const below = await refusal(() => save('d', 'cohort "e"', ['e'], own));
    expect(below.message).to.include('does not exist');
    await save('e', 'did(a)', [], own);
    expect((await refusal(() => save('d', 'cohort "e"', ['e'], own))).message).to.include('at most 4 deep: "a" → "b" → "c" → "d" → "e"');
    expect((await refusal(() => save('d', 'cohort "b"', ['b'], own))).message).to.match(/leads back to itself: .*"b" → "c" → "d" → "b"|leads back to itself/);
    expect((await refusal(() => save('e', 'cohort "e"', ['e'], own))).message).to.include('leads back to itself: "e" → "e"');
  }); // prettier-ignore

  it('name what the project has, or the nearest', async () => {
    const own = await another();
    await save('buyers', 'did(a)', [], own);
    const { hints } = await refusal(() => save('x', 'cohort "buyer"', ['buyer'], own));
    expect(hints).to.deep.equal(['did you mean "buyers"?']);
  });

  it('stay while another cohort uses them', async () => {
    const own = await another();
    await save('buyers', 'did(a)', [], own);
    await save('pros', 'cohort "buyers"', ['buyers'], own);
    const refused = await refusal(() => control.cohorts.delete(own, 'buyers', BY));
    expect(refused.code).to.equal('conflict');
    expect(refused.message).to.equal('the cohort "buyers" is used by cohort "pros"');
    await save('pros', 'did(b)', [], own);
    expect(await control.cohorts.delete(own, 'buyers', BY)).to.equal(true);
    expect(await control.cohorts.delete(own, 'buyers', BY)).to.equal(false);
    expect(await control.cohorts.names(own)).to.deep.equal(['pros']);
  });

  it('tell a query of those that it names, and those that these name', async () => {
    const own = await another();
    await save('a', 'did(a)', [], own);
    await save('b', 'cohort "a"', ['a'], own);
    await save('c', 'did(c)', [], own);
    const known = await control.cohorts.known(own, ['b', 'none', '\0']);
    expect(known.names).to.deep.equal(['a', 'b', 'c']);
    expect([...known.conditions]).to.have.deep.members([['a', 'did(a)'], ['b', 'cohort "a"']]); // prettier-ignore
  });

  it('are in the audit trail', async () => {
    const own = await another();
    await save('buyers', 'did(a)', [], own);
    await control.cohorts.delete(own, 'buyers', BY);
    const { entries } = await control.audit.page(orgId, { limit: 2 });
    expect(entries.map(({ actor, action, target }) => [actor, action, target])).to.deep.equal([
      [BY.name, 'cohort.write', `${own}/cohort:buyers/deleted`],
      [BY.name, 'cohort.write', `${own}/cohort:buyers/version:1`],
    ]);
  });

  it('go with their project', async () => {
    const own = await another();
    await save('buyers', 'did(a)', [], own);
    await control.projects.delete(own, BY);
    expect(await control.cohorts.list(own)).to.deep.equal([]);
  });
});
