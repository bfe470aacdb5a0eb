import { expect } from 'chai';
import { clientOf } from './client-service.ts';
import type { ClientService } from './client-service.ts';
import { CTRL_C, ENTER, PseudoTerminal } from './pseudo-terminal.ts';
import { sharedService } from '../support/shared-service.ts';

const ESCAPE = '\u001B';

describe('wl at a terminal', () => {
  let service: ClientService;
  before(async () => {
    service = clientOf(await sharedService());
    const evil = `${ESCAPE}[2J${ESCAPE}]0;owned\u0007\u009b31m\u202Etxt`;
    await service.post('/track', {
      events: [
        { event_type: 'signup', user_id: '日本', event_properties: { plan: 'pro', long: 'x'.repeat(300) } },
        { event_type: 'evil', user_id: 'e', event_properties: { name: evil } },
      ],
    });
  });

  async function run(args: readonly string[], options: { env?: Record<string, string>; columns?: number } = {}) {
    const terminal = new PseudoTerminal(args, { ...options, env: { ...service.env, ...options.env } });
    const code = await terminal.exited();
    return { code, text: terminal.text, raw: terminal.raw };
  }

  it('draws a table with bold names, within the width of the terminal', async () => {
    const { code, text, raw } = await run(['query', 'signup | count by user_id, event_properties.long'], {
      columns: 40,
    });
    expect(code).to.equal(0);
    expect(text).to.match(/^user_id +event_properties.long +count\n/);
    expect(text).to.include('日本').and.include('…');
    expect(raw).to.include(`${ESCAPE}[1m`);
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(40);
  });

  it('draws time series as bars and retentions as a grid of percentages, within the width of the terminal', async () => {
    const event = (event_type: string, user_id: string, day: number): object => ({ event_type, user_id, time: `2026-01-0${day}T10:00:00Z` }); // prettier-ignore
    await service.post('/track', { events: [event('came', 'a', 5), event('came', 'b', 5), event('came', 'b', 6)] });
    const range = 'from 2026-01-05 to 2026-01-07';
    const env = { NO_COLOR: '1' };
    const series = await run(['query', `came | ${range} | count by day`], { columns: 40, env });
    expect(series.text).to.match(/^2026-01-05 {6}2 {2}█{21}\n2026-01-06 {6}1 {2}█{10}▌\n/m);
    expect(series.text).to.include('2 of 2 rows, 2026-01-05 00:00:00 to\n2026-01-07 00:00:00 (UTC)');
    const retention = await run(['query', `retention came returning came | ${range} | by day`], { columns: 40, env });
    expect(retention.text)
      .to.match(/^cohort +users +d0 +d1\n/)
      .and.match(/^2026-01-05 {6}2 {2}█100% {2}▓ 50%$/m);
    const colored = await run(['query', `retention came returning came | ${range} | by day`]);
    expect(colored.raw)
      .to.include(`${ESCAPE}[48;5;`.slice(0, 2))
      .and.match(/48;5;37m *50%/);
  });

  it('breaks errors between words and shows first what may have been meant', async () => {
    const { code, text, raw } = await run(['query', 'signup | coun'], { columns: 60 });
    expect(code).to.equal(1);
    expect(text).to.match(/^wl: Did you mean `count`\?\n {4}signup \| coun\n {13}\^{4}\n {2}Expected a stage: /);
    for (const line of text.split('\n')) expect(line.length, line).to.be.at.most(60);
    expect(text.replaceAll(/\s+/g, ' ')).to.include('found `coun`');
    expect(raw).to.include(`${ESCAPE}[31mcoun${ESCAPE}[39m`);
    expect((await run(['query', 'signup | coun', '--no-color'])).raw).to.not.include(ESCAPE);
  });

  it('shows tables and findings of `wl admin` within the width of the terminal', async () => {
    const data = ['--data', service.folder];
    const projects = await run(['admin', 'project', 'list', ...data]);
    expect(projects.text)
      .to.match(/^id +name +retention_days .*\n─+/)
      .and.include(service.keys.project.id);
    expect(projects.text).to.include('No room for org_id, public_key');
    const doctor = await run(['admin', 'doctor', ...data], { columns: 60, env: { WINDLASS_MEMROY: '1' } });
    expect(doctor.code).to.equal(1);
    expect(doctor.text)
      .to.match(/^✓ versions +Windlass/)
      .and.match(/^! settings +3 WINDLASS_ variables set/m);
    expect(doctor.text).to.match(/^ {20}fix these settings, which have no\n {20}effect: WINDLASS_MEMROY$/m);
    const top = new PseudoTerminal(['admin', 'top', '--every', '1', ...data], { columns: 80 });
    await top.shows('events/s');
    top.type(CTRL_C);
    expect(await top.exited()).to.equal(0);
    for (const line of [...projects.text.split('\n'), ...doctor.text.split('\n'), ...top.text.split('\n')])
      expect(line.length, line).to.be.at.most(80);
  });

  it('has no colours with NO_COLOR, --no-color or a dumb terminal, and JSON where it is asked for', async () => {
    const q = ['query', 'signup | count'];
    expect((await run(q, { env: { NO_COLOR: '1' } })).raw).to.not.include(ESCAPE);
    expect((await run([...q, '--no-color'])).raw).to.not.include(ESCAPE);
    expect((await run(['--no-color', ...q])).raw).to.not.include(ESCAPE);
    expect((await run(q, { env: { TERM: 'dumb' } })).raw).to.not.include(ESCAPE);
    expect(JSON.parse((await run([...q, '--json'])).text)).to.deep.equal([{ count: 1 }]);
  });

  it('gets no control characters of values, in any format', async () => {
    const q = 'evil | count by event_properties.name';
    const lines = [...['table', 'json', 'csv', 'markdown'].map((format) => ['query', q, '--format', format, '--no-color']), ['gdpr', 'export', 'e'], ['query', `x | where a = "${ESCAPE}[2J" and`, '--no-color']];
    for (const line of lines) {
      const { raw } = await run(line);
      expect(raw, line.join(' ')).to.match(/\w/);
      // oxlint-disable-next-line no-control-regex -- they are what must not be there
      expect(raw, line.join(' ')).to.not.match(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e]/);
    }
    const json = (await run(['query', q, '--json'])).text;
    expect(JSON.parse(json)[0]['event_properties.name']).to.equal(`${ESCAPE}[2J${ESCAPE}]0;owned\u0007\u009b31m\u202Etxt`);
  }); // prettier-ignore

  it('writes JSON into a pipe although stderr is a terminal', async () => {
    const terminal = new PseudoTerminal([], { env: service.env, script: 'wl query "signup | count" | cat' });
    expect(await terminal.exited()).to.equal(0);
    expect(JSON.parse(terminal.text)).to.deep.equal([{ count: 1 }]);
  });

  it('asks before it does what cannot be undone, and does it only after a yes', async () => {
    const ask = (): PseudoTerminal => new PseudoTerminal(['gdpr', 'delete', 'nobody'], { env: service.env });
    const no = ask();
    await no.shows('Permanently erase everything about the user "nobody"');
    no.type(`n${ENTER}`);
    expect(await no.exited()).to.equal(1);
    expect(no.text).to.include('Nothing was changed.').and.not.include('events');
    const away = ask();
    await away.shows('Permanently erase everything');
    away.type(CTRL_C);
    expect(await away.exited()).to.equal(130);
    const yes = ask();
    await yes.shows('Permanently erase everything');
    yes.type(`y${ENTER}`);
    expect(await yes.exited()).to.equal(0);
    expect(yes.text).to.match(/events +0/);
  });

  it('wants the name of a project before it deletes it', async () => {
    const env = { ...service.env, WINDLASS_API_KEY: service.keys.adminKey };
    const made = (await service.json(['project', 'create', 'Old shop'], env)) as { id: string };
    for (const [typed, code] of [['Old', 1], ['Old shop', 0]] as const) {
      const terminal = new PseudoTerminal(['project', 'delete', made.id], { env });
      await terminal.shows('Type its name');
      terminal.type(`${typed}${ENTER}`);
      expect(await terminal.exited(), terminal.text).to.equal(code);
    }
    expect((await service.wl(['project', 'get', made.id], { env })).code).to.equal(1);
  }); // prettier-ignore

  it('shows how far a file is, and leaves nothing of it behind', async () => {
    const script = `i=0; while [ $i -lt 1000 ]; do echo '{"event_type":"row"}'; i=$((i+1)); done > "$FILE"; wl track --stdin --batch-size 20 < "$FILE"; rm "$FILE"`;
    const FILE = `${service.folder}/rows.jsonl`;
    const terminal = new PseudoTerminal([], { env: { ...service.env, FILE }, script });
    expect(await terminal.exited()).to.equal(0);
    const shown = terminal.raw.split(`\r${ESCAPE}[K`);
    expect(shown.slice(0, -1).join('\n')).to.match(/^[\d,]+ events {2}[\d,]+\/s {2}\d+ % {2}ETA \d+:\d\d$/m);
    expect(shown.at(-1)).to.match(/^[^%]*accepted +1,000/);
  });

  it('shows no progress when it is told to be quiet', async () => {
    const script = `echo '{"event_type":"row"}' | wl track --stdin --quiet`;
    const terminal = new PseudoTerminal([], { env: service.env, script });
    await terminal.exited();
    expect(terminal.raw).to.not.include(`${ESCAPE}[K`);
  });
});
