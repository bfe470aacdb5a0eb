import { expect } from 'chai';
import { MAX_ANNOTATIONS } from '../../../lib/control/projects/annotations.ts';
import type { ControlDatabase } from '../../../lib/control/database.ts';
import { refusal } from '../../support/refusal.ts';
import { newWorld, TESTER as BY } from '../open-control.ts';

describe('annotations in the control database', () => {
  let control: ControlDatabase;
  let projectId = '';
  let orgId = '';
  beforeEach(async () => {
    const world = await newWorld();
    control = world.control;
    [projectId, orgId] = [world.project.id, world.organization.id];
  });

  const add = (at: number, text: string, project = projectId) => control.annotations.add({ projectId: project, at, text }, BY);
  const texts = async (project = projectId) => (await control.annotations.list(project)).map(({ text }) => text);

  it('are listed by time; the same text at the same time is added once', async () => {
    await add(2, 'second');
    const { stored, isNew } = await add(1, ' first ');
    expect([isNew, stored.text, stored.createdBy]).to.deep.equal([true, 'first', BY.name]);
    expect(await add(1, 'first')).to.deep.equal({ stored, isNew: false });
    await add(1, 'another');
    expect((await texts()).toSorted()).to.deep.equal(['another', 'first', 'second']);
    expect((await texts()).at(-1)).to.equal('second');
  });

  it(`are at most ${MAX_ANNOTATIONS} in a project, with texts of one line and 200 characters`, async () => {
    for (let at = 0; at < MAX_ANNOTATIONS; at++) await add(at, 'deploy');
    const refused = await refusal(() => add(MAX_ANNOTATIONS, 'one more'));
    expect(refused.code).to.equal('limit_reached');
    expect(refused.hints?.join()).to.include('wl annotation delete');
    expect(await add(7, 'deploy')).to.have.property('isNew', false);
    for (const text of ['', ' ', 'a\nb', 'x'.repeat(201)])
      expect((await refusal(() => add(1, text))).code, JSON.stringify(text)).to.equal('bad_request');
  });

  it('are deleted, of their own project alone, and go with it', async () => {
    const another = (await control.projects.create(orgId, 'Another', BY, { exempt: true })).project.id;
    const { id } = (await add(1, 'deploy')).stored;
    expect(await control.annotations.delete(another, id, BY)).to.equal(false);
    expect(await control.annotations.delete(projectId, id, BY)).to.equal(true);
    expect(await control.annotations.delete(projectId, id, BY)).to.equal(false);
    await add(1, 'deploy', another);
    await control.projects.delete(another, BY);
    expect(await texts(another)).to.deep.equal([]);
  });

  it('are in the audit trail', async () => {
    const { id } = (await add(1, 'deploy')).stored;
    await control.annotations.delete(projectId, id, BY);
    const { entries } = await control.audit.page(orgId, { limit: 2 });
    expect(entries.map(({ actor, action, target }) => [actor, action, target])).to.deep.equal([
      [BY.name, 'annotation.write', `${projectId}/annotation:${id}/deleted`],
      [BY.name, 'annotation.write', `${projectId}/annotation:${id}/added`],
    ]);
  });
}); // prettier-ignore
