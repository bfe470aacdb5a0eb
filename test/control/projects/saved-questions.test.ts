import { expect } from 'chai';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import { MAX_QUESTION_VERSIONS, MAX_SAVED_QUESTIONS } from '../../../lib/control/projects/saved-questions.ts';
import { refusal } from '../../support/refusal.ts';
import { newWorld, TESTER as BY } from '../open-control.ts';

describe('saved questions in the control database', () => {
  let control: ControlDatabase;
  let projectId = '';
  let orgId = '';
  beforeEach(async () => {
    const world = await newWorld();
    control = world.control;
    [projectId, orgId] = [world.project.id, world.organization.id];
  });

  const save = (name: string, query: string, project = projectId) =>
    control.savedQuestions.write({ projectId: project, name, query }, BY);

  it(`keep ${MAX_QUESTION_VERSIONS} versions, the newest first, and what is unchanged adds none`, async () => {
    expect(await save('v', 'a | count')).to.have.property('outcome', 'created');
    expect(await save('v', 'a | count')).to.have.property('outcome', 'unchanged');
    for (let nth = 2; nth <= MAX_QUESTION_VERSIONS + 2; nth++) await save('v', `a | last ${nth}d`);
    const versions = await control.savedQuestions.versions(projectId, 'v');
    expect(versions).to.have.length(MAX_QUESTION_VERSIONS);
    expect(versions[0]).to.deep.include({ query: `a | last ${MAX_QUESTION_VERSIONS + 2}d`, by: BY.name });
    expect(versions.at(-1)).to.include({ version: 3, query: 'a | last 3d' });
    expect(await control.savedQuestions.list(projectId)).to.deep.equal([versions[0]]);
  });

  it(`are at most ${MAX_SAVED_QUESTIONS} in a project, which another does not count`, async () => {
    const other = (await control.projects.create(orgId, 'Another', BY, { exempt: true })).project.id;
    await control.together(async () => {
      for (let nth = 0; nth < MAX_SAVED_QUESTIONS; nth++) await save(`q ${nth}`, 'a | count');
    });
    expect((await refusal(() => save('one more', 'a | count'))).code).to.equal('limit_reached');
    expect(await save('q 1', 'b | count')).to.have.property('outcome', 'changed');
    expect(await save('one more', 'a | count', other)).to.have.property('outcome', 'created');
  });

  it('are named as people like, without control characters and spaces around', async () => {
    for (const name of ['Käufer: wer? 100 %', 'a/b', '😀', 'n'.repeat(80)])
      expect(await save(name, 'a'), name).to.have.property('outcome', 'created');
    for (const name of ['', ' a', 'a ', 'a\nb', 'n'.repeat(81)])
      expect((await refusal(() => save(name, 'a'))).code, name).to.equal('bad_request');
  });

  it('are gone with all versions when they are deleted, and with their project; the trail says who wrote them', async () => {
    await save('one', 'a');
    await save('one', 'b');
    expect(await control.savedQuestions.delete(projectId, 'one', BY)).to.equal(true);
    expect(await control.savedQuestions.delete(projectId, 'one', BY)).to.equal(false);
    expect(await control.savedQuestions.versions(projectId, 'one')).to.deep.equal([]);
    const { entries } = await control.audit.page(orgId);
    expect(entries.filter(({ action }) => action === 'question.write').map(({ target, actor }) => [target, actor])).to.deep.equal([
      [`${projectId}/question:one/deleted`, BY.name],
      [`${projectId}/question:one/version:2`, BY.name],
      [`${projectId}/question:one/version:1`, BY.name],
    ]);
  }); // prettier-ignore
});
