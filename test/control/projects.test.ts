import { expect } from 'chai';
import { newWorld, openControl, refusal, TESTER } from './open-control.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

describe('organizations and projects', () => {
  it('are listed in order of creation, with what they were made with', () => {
    const { control, clock, organization, project } = newWorld();
    const other = control.createOrganization('  Umbrella ').organization;
    const second = control.createProject(organization.id, 'Blog', TESTER).project;
    expect(control.organizations()).to.deep.equal([organization, other]);
    expect(other.name).to.equal('Umbrella');
    expect(control.projects()).to.deep.equal([project, second]);
    expect(control.projects(other.id)).to.deep.equal([]);
    const settings = { retentionDays: null, ipPolicy: 'anonymized', timezone: 'UTC' };
    expect(project).to.deep.include({ orgId: organization.id, name: 'Shop', createdAt: clock.time, settings });
  });

  it('need names that are not empty, not endless, and without control characters', () => {
    const { control, organization } = newWorld();
    const unseen = ['\u200b', ' \u2060\u200d ', 'a\u202eb', 'a\u2066b', 'a\ud800', '\udc00a'];
    for (const name of ['', '   ', 'x'.repeat(201), 'a\u001b[31mb', 'a\nb', ...unseen]) {
      expect(refusal(() => control.createOrganization(name)).code, name).to.equal('bad_request');
      expect(refusal(() => control.createProject(organization.id, name, TESTER)).code, name).to.equal('bad_request');
    }
    expect(control.projects()).to.have.length(1);
    const family = '👩‍👧 ünï – متجر';
    expect(control.createProject(organization.id, family, TESTER).project.name).to.equal(family);
  });

  it('that are not there are refused by name', () => {
    const { control } = newWorld();
    expect(refusal(() => control.project('prj_x'))).to.deep.include({ code: 'not_found' });
    expect(refusal(() => control.createProject('org_x', 'P', TESTER))).to.deep.include({ code: 'not_found' });
    expect(control.findProject('prj_x')).to.equal(null);
    expect(control.findOrganization('org_x')).to.equal(null);
  });

  it('change one setting and leave the others', () => {
    const { control, project } = newWorld();
    control.changeProject(project.id, { retentionDays: 90 });
    control.changeProject(project.id, { timezone: 'Europe/Paris', ipPolicy: 'none' });
    const settings = { retentionDays: 90, ipPolicy: 'none', timezone: 'Europe/Paris' };
    expect(control.project(project.id).settings).to.deep.equal(settings);
    expect(control.changeProject(project.id, { retentionDays: null }).settings.retentionDays).to.equal(null);
  });

  it('refuse settings that make no sense', () => {
    const { control, project } = newWorld();
    for (const change of [{ retentionDays: 0 }, { retentionDays: 1.5 }, { timezone: 'Mars/Base' }, { timezone: '' }]) {
      expect(refusal(() => control.changeProject(project.id, change)).code).to.equal('bad_request');
    }
    expect(control.project(project.id)).to.deep.equal(project);
  });

  it('stay within the number of projects of their organization', () => {
    const { control, organization, project } = newWorld();
    control.setLimits(organization.id, { projects: 1 });
    expect(refusal(() => control.createProject(organization.id, 'B', TESTER)).code).to.equal('limit_reached');
    control.deleteProject(project.id, TESTER);
    control.createProject(organization.id, 'B', TESTER);
    control.setLimits(organization.id, { projects: null });
    control.createProject(organization.id, 'C', TESTER);
    expect(refusal(() => control.setLimits(organization.id, { projects: -1 })).code).to.equal('bad_request');
  });

  it('go with their keys and tokens, and stay to be purged until their events are gone', () => {
    const { folder, control, project } = newWorld();
    control.createToken({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    control.deleteProject(project.id, TESTER);
    expect(control.findProject(project.id)).to.equal(null);
    expect(control.tokens(project.id)).to.deep.equal([]);
    expect(openControl(folder).unpurgedProjects()).to.deep.equal([project.id]);
    control.markPurged(project.id);
    expect(control.unpurgedProjects()).to.deep.equal([]);
  });
});

describe('a first start', () => {
  it('makes an organization and a project, and every later one nothing', () => {
    const control = openControl(temporaryFolder());
    const made = control.ensureDefaults(TESTER);
    expect(made?.organization.name).to.equal('Default');
    expect(made?.project.name).to.equal('My project');
    expect(control.findCredential(made?.secretKey ?? '')?.kind).to.equal('secret');
    expect(control.findCredential(made?.adminKey ?? '')?.kind).to.equal('org_admin');
    expect(control.ensureDefaults(TESTER)).to.equal(null);
    expect(control.projects()).to.have.length(1);
  });

  it('makes nothing where an operator was first', () => {
    const control = openControl(temporaryFolder());
    control.createOrganization('Mine');
    expect(control.ensureDefaults(TESTER)).to.equal(null);
    expect(control.projects()).to.deep.equal([]);
  });
});
