import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { runProgram } from './run-program.ts';
import { wlInside } from './run-inside.ts';
import { PROGRAM, wl } from './run-wl.ts';
import { LATER_STAGES, STAGES } from '../../lib/dsl/parse/keywords.ts';
import { METRICS } from '../../lib/dsl/plan/metrics.ts';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

describe('wl', () => {
  it('tells its version', async () => {
    expect(await wl(['--version'])).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(await wl(['version'])).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
    expect(JSON.parse((await wl(['version', '--json'])).stdout)).to.deep.equal({ version });
  });

  it('takes global options with commands that have no use for them', async () => {
    for (const line of [
      ['--no-color', '--quiet', 'version'],
      ['version', '--host', 'x', '--timeout=1s'],
    ]) {
      expect(await wlInside(line), line.join(' ')).to.deep.equal({ code: 0, stdout: `${version}\n`, stderr: '' });
    }
    expect(JSON.parse((await wl(['--format', 'json', 'version'])).stdout)).to.deep.equal({ version });
    expect(await wl(['--no-color', 'completion', 'bash'])).to.deep.equal(await wl(['completion', 'bash']));
    expect((await wl(['version', '--help'])).stdout)
      .to.include('--json')
      .and.not.include('--host');
  });

  it('says nothing when nobody reads its version', async () => {
    const script = '{ sleep 0.2; "$0" "$1" version; echo "exit $?" >&2; } | true';
    const { stdout, stderr } = await runProgram('bash', ['-c', script, process.execPath, PROGRAM], {
      env: { PATH: process.env['PATH'] ?? '' },
    });
    expect({ stdout, stderr }).to.deep.equal({ stdout: '', stderr: 'exit 0\n' });
  });

  it('lists its commands on stdout when it is asked for help', async () => {
    const { code, stdout, stderr } = await wl(['--help']);
    expect([code, stderr]).to.deep.equal([0, '']);
    for (const name of ['serve', 'admin', 'version']) expect(stdout).to.include(`wl ${name}`);
    expect(await wl(['-h']), '-h').to.deep.equal({ code: 0, stdout, stderr: '' });
    expect(await wl([]), 'nothing').to.deep.equal({ code: 0, stdout, stderr: '' });
    expect(await wl(['query', '-h'])).to.deep.equal(await wl(['query', '--help']));
  });

  it('exits with 1 and says on stderr alone what is wrong with a command line', async () => {
    const cases: [string[], string][] = [
      [['bogus'], 'bogus'],
      [['admin'], '`wl admin` needs a subcommand'],
      [['admin', 'org', 'list', '--bogus'], 'bogus'],
      [['admin', 'org', 'create'], 'an argument is missing: <name>'],
      [['config', 'set'], 'arguments are missing: <name> <value>'],
      [['admin', 'org', 'create', 'a', 'b'], 'b'],
      [['admin', 'org', 'list', '--data'], 'data'],
      [['admin', 'org', 'list', '--data', 'a', '--data', 'b'], '--data is given more than once'],
      [['admin', 'token', 'create', 'prj_x'], 'scopes'],
    ];
    for (const [args, message] of cases) {
      const { code, stdout, stderr } = await wlInside(args);
      expect([code, stdout], args.join(' ')).to.deep.equal([1, '']);
      expect(stderr, args.join(' ')).to.include(message).and.include('--help').and.not.include('bug');
    }
  });

  it('proposes a command for one that is misspelt, and none where no name is near', async () => {
    expect((await wlInside(['qery', 'a'])).stderr).to.include('there is no command `qery`; did you mean `query`?');
    expect((await wlInside(['ab', '--json'])).stderr).to.equal('wl: there is no command `ab`\nSee: wl --help\n');
  });

  it('names an unknown word behind a family of commands, and the command that it may mean', async () => {
    const cases: [string[], string][] = [
      [['project', 'creat', 'x'], 'wl: there is no command `creat` in `wl project`; did you mean `create`?\nSee: wl project --help\n'],
      [['project', 'token', 'foo'], 'wl: there is no command `foo` in `wl project token`\nSee: wl project token --help\n'],
      [['admin', 'projct', 'list'], 'wl: there is no command `projct` in `wl admin`; did you mean `project`?\nSee: wl admin --help\n'],
      [['gdpr', '--json', 'foo'], 'wl: there is no command `foo` in `wl gdpr`\nSee: wl gdpr --help\n'],
      [['gdpr', '--', '-x'], 'wl: there is no command `-x` in `wl gdpr`\nSee: wl gdpr --help\n'],
    ];
    for (const [line, stderr] of cases) {
      expect(await wlInside(line), line.join(' ')).to.deep.equal({ code: 1, stdout: '', stderr });
    }
  }); // prettier-ignore

  it('names the help of a command that goes by its alias', async () => {
    expect((await wlInside(['q', 'a', '--bogus'])).stderr).to.include('See: wl query --help');
  });

  it('shows arguments behind -- as they were typed', async () => {
    expect((await wlInside(['track', '--', '-x', '--dry-run'])).stderr).to.include('unexpected argument: `--dry-run`');
  });

  it('names the option that does not exist, lacks its value, is missing or has a wrong value', async () => {
    const cases: [string[], string][] = [
      [['query', 'a', '--formt', 'json'], 'there is no option `--formt`; did you mean `--format`?\nSee: wl query --help'],
      [['query', 'a', '--dry-rn', '-xy'], 'there is no option `--dry-rn`\n  there is no option `-x`\n  there is no option `-y`\nSee: wl query --help'],
      [['--hepl'], 'there is no option `--hepl`; did you mean `--help`?\nSee: wl --help'],
      [['--jsno', 'query', 'a'], 'there is no option `--jsno`; did you mean `--json`?\nSee: wl query --help'],
      [['project', '--hepl'], 'there is no option `--hepl`; did you mean `--help`?\nSee: wl project --help'],
      [['project', 'token', 'create', 'p', '--scope', 'query'], 'there is no option `--scope`; did you mean `--scopes`?\n  --scopes is missing\nSee: wl project token create --help'],
      [['project', 'create', '--nmae', 'Shop'], 'there is no option `--nmae`\n  an argument is missing: <name>\nSee: wl project create --help'],
      [['project', 'suspend', 'prj_x', '--apiKey', 'ak_x'], '--reason is missing\nSee: wl project suspend --help'],
      [['track', 'a', '--user-id'], '--user-id needs a value\nSee: wl track --help'],
      [['project', 'suspend', 'prj_x'], '--reason is missing\nSee: wl project suspend --help'],
      [['query', 'a', '--format', 'xml'], '--format must be auto, table, json, csv or markdown, not "xml"\nSee: wl query --help'],
      [['config', 'set', 'hots', 'x'], '<name> must be api-key or host, not "hots"\nSee: wl config set --help'],
      [['track', 'a', 'b, c', 'd', 'd'], 'unexpected arguments: `b, c`, `d`\nSee: wl track --help'],
    ];
    for (const [line, problem] of cases) {
      expect(await wlInside(line), line.join(' ')).to.deep.equal({ code: 1, stdout: '', stderr: `wl: ${problem}\n` });
    }
  }); // prettier-ignore

  it('says how to write a query that came without quotes', async () => {
    const cases: [string, string][] = [
      ['signup last 7d', 'signup | last 7d'],
      ['signup count by day last 7d --format csv', 'signup | count by day | last 7d'],
      ['signup | unique by day', 'signup | unique by day'],
      ['paths from signup top 5', 'paths from signup | top 5'],
      ['signup --limit 5 last 7d', 'signup | last 7d'],
      ['purchase last (7d)', 'signup | last 7d'],
      ...[...STAGES, ...LATER_STAGES, ...METRICS, 'p95'].map((word): [string, string] => [`signup ${word} x`, `signup | ${word} x`]),
    ];
    for (const [words, query] of cases) {
      const { stderr } = await wlInside(['query', ...words.split(' ')]);
      expect(stderr, words).to.match(/^wl: unexpected arguments: /).and.include(`\n  put the query in quotes: wl query '${query}'\n`);
    }
  }); // prettier-ignore

  it('is quiet about a line that makes no sense, too', async () => {
    for (const line of [
      ['q', '--bogus', '--quiet'],
      ['--quiet', 'bogus'],
      ['choice', '--quiet'],
    ]) {
      expect(await wlInside(line), line.join(' ')).to.deep.equal({ code: 1, stdout: '', stderr: '' });
    }
  });

  it('has an example in the help of every command of `wl admin`', async () => {
    const commands = [
      ...['org create', 'org list', 'project create', 'project list', 'project set'],
      ...['token create', 'token list', 'token revoke', 'limits', 'login-link', 'backup', 'restore', 'check', 'doctor'],
      ...['org delete', 'project suspend', 'project resume', 'project delete', 'usage'],
    ];
    for (const command of commands) {
      const { code, stdout } = await wlInside(['admin', ...command.split(' '), '--help']);
      expect(code, command).to.equal(0);
      expect(stdout, command).to.match(new RegExp(`Examples:\\n(?:  # .*\\n)?  wl admin ${command}`));
    }
  });
});
