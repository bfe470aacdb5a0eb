import { expect } from 'chai';
import { newWorld, openControl, refusal, TESTER } from '../open-control.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('organizations and projects', () => {
  it('are listed in order of creation, with what they were made with', () => {
    const { control, clock, organization, project } = newWorld();
    const other = control.organizations.create('  Umbrella ').organization;
    const second = control.projects.create(organization.id, 'Blog', TESTER).project;
    expect(control.organizations.list()).to.deep.equal([organization, other]);
    expect(other.name).to.equal('Umbrella');
    expect(control.projects.list()).to.deep.equal([project, second]);
    expect(control.projects.list(other.id)).to.deep.equal([]);
    const settings = { retentionDays: null, ipPolicy: 'anonymized', timezone: 'UTC' };
    expect(project).to.deep.include({ orgId: organization.id, name: 'Shop', createdAt: clock.time, settings });
  });

  it('need names that are not empty, not endless, and without control characters', () => {
    const { control, organization } = newWorld();
    const unseen = ['\u200b', ' \u2060\u200d ', 'a\u202eb', 'a\u2066b', 'a\ud800', '\udc00a'];
    for (const name of ['', '   ', 'x'.repeat(201), 'a\u001b[31mb', 'a\nb', ...unseen]) {
      expect(refusal(() => control.organizations.create(name)).code, name).to.equal('bad_request');
      expect(refusal(() => control.projects.create(organization.id, name, TESTER)).code, name).to.equal('bad_request');
    }
    expect(control.projects.list()).to.have.length(1);
    const family = '👩‍👧 ünï – متجر';
    expect(control.projects.create(organization.id, family, TESTER).project.name).to.equal(family);
  });

  it('that are not there are refused by name', () => {
    const { control } = newWorld();
    expect(refusal(() => control.projects.get('prj_x'))).to.deep.include({ code: 'not_found' });
    expect(refusal(() => control.projects.create('org_x', 'P', TESTER))).to.deep.include({ code: 'not_found' });
    expect(control.projects.find('prj_x')).to.equal(null);
    expect(control.organizations.find('org_x')).to.equal(null);
  });

  it('change one setting and leave the others', () => {
    const { control, project } = newWorld();
    control.projects.change(project.id, { retentionDays: 90 });
    control.projects.change(project.id, { timezone: 'Europe/Paris', ipPolicy: 'none' });
    const settings = { retentionDays: 90, ipPolicy: 'none', timezone: 'Europe/Paris' };
    expect(control.projects.get(project.id).settings).to.deep.equal(settings);
    expect(control.projects.change(project.id, { retentionDays: null }).settings.retentionDays).to.equal(null);
  });

  it('refuse settings that make no sense', () => {
    const { control, project } = newWorld();
    for (const change of [{ retentionDays: 0 }, { retentionDays: 1.5 }, { timezone: 'Mars/Base' }, { timezone: '' }]) {
      expect(refusal(() => control.projects.change(project.id, change)).code).to.equal('bad_request');
    }
    expect(control.projects.get(project.id)).to.deep.equal(project);
  });

  it('stay within the number of projects of their organization', () => {
    const { control, organization, project } = newWorld();
    control.organizations.setLimits(organization.id, { projects: 1 });
    expect(refusal(() => control.projects.create(organization.id, 'B', TESTER)).code).to.equal('limit_reached');
    control.projects.delete(project.id, TESTER);
    control.projects.create(organization.id, 'B', TESTER);
    control.organizations.setLimits(organization.id, { projects: null });
    control.projects.create(organization.id, 'C', TESTER);
    expect(refusal(() => control.organizations.setLimits(organization.id, { projects: -1 })).code).to.equal(
      'bad_request',
    );
  });

  it('go with their keys and tokens, and stay to be purged until their events are gone', () => {
    const { folder, control, project } = newWorld();
    control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    control.projects.delete(project.id, TESTER);
    expect(control.projects.find(project.id)).to.equal(null);
    expect(control.tokens.list(project.id)).to.deep.equal([]);
    expect(openControl(folder).projects.unpurged()).to.deep.equal([project.id]);
    control.projects.markPurged(project.id);
    expect(control.projects.unpurged()).to.deep.equal([]);
  });
});

describe('a first start', () => {
  it('makes an organization and a project, and every later one nothing', () => {
    const control = openControl(temporaryFolder());
    const made = control.ensureDefaults(TESTER);
    expect(made?.organization.name).to.equal('Default');
    expect(made?.project.name).to.equal('My project');
    expect(control.credentials.find(made?.secretKey ?? '')?.kind).to.equal('secret');
    expect(control.credentials.find(made?.adminKey ?? '')?.kind).to.equal('org_admin');
    expect(control.ensureDefaults(TESTER)).to.equal(null);
    expect(control.projects.list()).to.have.length(1);
  });

  it('makes nothing where an operator was first', () => {
    const control = openControl(temporaryFolder());
    control.organizations.create('Mine');
    expect(control.ensureDefaults(TESTER)).to.equal(null);
    expect(control.projects.list()).to.deep.equal([]);
  });
});
