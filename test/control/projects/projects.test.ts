import { expect } from 'chai';
import { PAGE } from '../../../lib/control/projects/projects.ts';
import type { Project } from '../../../lib/control/types.ts';
import { newWorld, nothingOlder, openControl, TESTER } from '../open-control.ts';
import { refusal } from '../../support/refusal.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

describe('organizations and projects', () => {
  it('are listed in order of creation, with what they were made with', async () => {
    const { control, clock, organization, project } = await newWorld();
    const other = (await control.organizations.create('  Umbrella ')).organization;
    const second = (await control.projects.create(organization.id, 'Blog', TESTER)).project;
    expect(await control.organizations.list()).to.deep.equal([organization, other]);
    expect(other.name).to.equal('Umbrella');
    expect(await control.projects.list()).to.deep.equal([project, second]);
    expect(await control.projects.list(other.id)).to.deep.equal([]);
    const settings = {
      retentionDays: null,
      ipPolicy: 'anonymized',
      timezone: 'UTC',
      weekStart: 'monday',
      bots: 'leave out',
      personalProperties: [],
      eventsPerMonth: null,
    };
    expect(project).to.deep.include({ orgId: organization.id, name: 'Shop', createdAt: clock.time, settings });
  });

  it('are listed in pages, however many were made in one moment', async () => {
    const { control, clock, organization } = await newWorld();
    await control.together(async () => {
      for (let nth = 0; nth < 2 * PAGE; nth++) {
        if (nth === PAGE + 50) clock.time++;
        await control.projects.create(organization.id, `${nth}`, TESTER);
      }
    });
    const pages: (readonly Project[])[] = [];
    for await (const page of control.projects.pages(organization.id)) pages.push(page);
    expect(pages.map(({ length }) => length)).to.deep.equal([PAGE, PAGE, 1]);
    expect(pages.flat()).to.deep.equal(await control.projects.list(organization.id));
  });

  it('are found by names with letters beyond A to Z', async () => {
    const { control, organization } = await newWorld();
    const { project } = await control.projects.create(organization.id, 'Ägypten', TESTER);
    for (const text of ['Ägypten', 'ÄGYPTEN', 'Ä'])
      expect((await control.projects.oldest(organization.id, 9, text)).projects, text).to.deep.equal([project]);
  });

  it('are counted and named without those that are not asked for', async () => {
    const { control, organization, project } = await newWorld();
    const second = (await control.projects.create(organization.id, 'Blog', TESTER)).project;
    const other = (await control.organizations.create('Umbrella')).organization;
    const foreign = (await control.projects.create(other.id, 'Foreign', TESTER)).project;
    const { projects } = control;
    expect(await projects.oldest(organization.id, 1)).to.deep.equal({ projects: [project], count: 2 });
    expect(await projects.oldest(organization.id, 9)).to.deep.equal({ projects: [project, second], count: 2 });
    expect(await projects.oldest(organization.id, 1, 'BLOG')).to.deep.equal({ projects: [second], count: 1 });
    expect(await projects.oldest(organization.id, 9, project.id.slice(2))).to.deep.equal({
      projects: [project],
      count: 1,
    });
    for (const text of ['%', '_', '!', 'Foreign'])
      // '_' is in every id
      expect((await projects.oldest(organization.id, 9, text)).count, text).to.equal(text === '_' ? 2 : 0);
    const names = await projects.names(organization.id, [second.id, foreign.id, 'prj_none']);
    expect([...names]).to.deep.equal([[second.id, 'Blog']]);
    expect((await projects.names(organization.id, [])).size).to.equal(0);
  });

  it('need names that are not empty, not endless, and without control characters', async () => {
    const { control, organization } = await newWorld();
    const unseen = ['\u200b', ' \u2060\u200d ', 'a\u202eb', 'a\u2066b', 'a\u200f', 'a\u2028b', 'a\ud800', '\udc00a'];
    for (const name of ['', '   ', 'x'.repeat(201), 'a\u001b[31mb', 'a\nb', ...unseen]) {
      expect((await refusal(() => control.organizations.create(name))).code, name).to.equal('bad_request');
      expect((await refusal(() => control.projects.create(organization.id, name, TESTER))).code, name).to.equal(
        'bad_request',
      );
    }
    expect(await control.projects.list()).to.have.length(1);
    const family = '👩‍👧 ünï – متجر';
    expect((await control.projects.create(organization.id, family, TESTER)).project.name).to.equal(family);
  });

  it('that are not there are refused by name', async () => {
    const { control } = await newWorld();
    expect(await refusal(() => control.projects.get('prj_x'))).to.deep.include({ code: 'not_found' });
    expect(await refusal(() => control.projects.create('org_x', 'P', TESTER))).to.deep.include({ code: 'not_found' });
    expect(await control.projects.find('prj_x')).to.equal(null);
    expect(await control.organizations.find('org_x')).to.equal(null);
  });

  it('have names of up to 200 characters, whatever they take in UTF-16', async () => {
    const { control, organization, project } = await newWorld();
    const longest = '🎉'.repeat(200);
    expect((await control.projects.create(organization.id, longest, TESTER)).project.name).to.equal(longest);
    const token = { projectId: project.id, name: longest, scopes: ['query'] };
    expect((await control.tokens.create(token, TESTER)).token.name).to.equal(longest);
    expect((await control.organizations.create(longest)).organization.name).to.equal(longest);
    const refused = await refusal(() => control.projects.create(organization.id, `${longest}🎉`, TESTER));
    expect(refused.message).to.equal('The name of the project has more than 200 characters.');
  });

  it('change one setting and leave the others', async () => {
    const { control, project } = await newWorld();
    await control.projects.change(project.id, { retentionDays: 90 }, TESTER, nothingOlder(90));
    await control.projects.change(
      project.id,
      { timezone: 'Europe/Paris', ipPolicy: 'none', weekStart: 'sunday' },
      TESTER,
    );
    const settings = {
      retentionDays: 90,
      ipPolicy: 'none',
      timezone: 'Europe/Paris',
      weekStart: 'sunday',
      bots: 'leave out',
      personalProperties: [],
      eventsPerMonth: null,
    };
    expect((await control.projects.get(project.id)).settings).to.deep.equal(settings);
    expect(
      (await control.projects.change(project.id, { retentionDays: null }, TESTER)).settings.retentionDays,
    ).to.equal(null);
  });

  it('refuse settings that make no sense', async () => {
    const { control, project } = await newWorld();
    for (const change of [{ retentionDays: 0 }, { retentionDays: 1.5 }, { timezone: 'Mars/Base' }, { timezone: '' }]) {
      expect((await refusal(() => control.projects.change(project.id, change, TESTER))).code).to.equal('bad_request');
    }
    for (const [given, kept] of [
      ['europe/paris', 'Europe/Paris'],
      ['Asia/Kolkata', 'Asia/Kolkata'],
      ['Etc/UTC', 'UTC'],
    ] as const)
      expect((await control.projects.change(project.id, { timezone: given }, TESTER)).settings.timezone).to.equal(kept);
    for (const timezone of ['+02:00', '+0200', '+02', '-23:59']) {
      const refused = await refusal(() => control.projects.change(project.id, { timezone }, TESTER));
      expect([refused.code, refused.message], timezone).to.deep.equal([
        'bad_request',
        `Unknown time zone "${timezone}".`,
      ]);
      expect(refused.hints?.join(), timezone).to.include('IANA');
    }
    expect(await control.projects.get(project.id)).to.deep.equal(project);
  });

  it('stay within the number of projects of their organization', async () => {
    const { control, organization, project } = await newWorld();
    await control.organizations.setLimits(organization.id, { projects: 1 }, TESTER);
    expect((await refusal(() => control.projects.create(organization.id, 'B', TESTER))).code).to.equal('limit_reached');
    await control.projects.delete(project.id, TESTER);
    await control.projects.create(organization.id, 'B', TESTER);
    await control.organizations.setLimits(organization.id, { projects: null }, TESTER);
    await control.projects.create(organization.id, 'C', TESTER);
    expect(
      (await refusal(() => control.organizations.setLimits(organization.id, { projects: -1 }, TESTER))).code,
    ).to.equal('bad_request');
  });

  it('go with their keys and tokens, and stay to be purged until their events are gone', async () => {
    const { folder, control, project } = await newWorld();
    await control.tokens.create({ projectId: project.id, name: 't', scopes: ['query'] }, TESTER);
    await control.projects.delete(project.id, TESTER);
    expect(await control.projects.find(project.id)).to.equal(null);
    expect(await control.tokens.list(project.id)).to.deep.equal([]);
    expect(await (await openControl(folder)).projects.unpurged()).to.deep.equal([project.id]);
    await control.projects.markPurged(project.id);
    expect(await control.projects.unpurged()).to.deep.equal([]);
  });
});

describe('a first start', () => {
  it('makes an organization and a project, and every later one nothing', async () => {
    const control = await openControl(temporaryFolder());
    const made = await control.ensureDefaults(TESTER);
    expect(made?.organization.name).to.equal('Default');
    expect(made?.project.name).to.equal('My project');
    expect((await control.credentials.find(made?.secretKey ?? ''))?.kind).to.equal('secret');
    expect((await control.credentials.find(made?.adminKey ?? ''))?.kind).to.equal('org_admin');
    expect(await control.ensureDefaults(TESTER)).to.equal(null);
    expect(await control.projects.list()).to.have.length(1);
  });

  it('makes nothing where an operator was first', async () => {
    const control = await openControl(temporaryFolder());
    await control.organizations.create('Mine');
    expect(await control.ensureDefaults(TESTER)).to.equal(null);
    expect(await control.projects.list()).to.deep.equal([]);
  });
});
