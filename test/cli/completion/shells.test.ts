import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { listenOnLoopback } from '../../support/listening.ts';
import { type TestService } from '../../support/service.ts';
import { COMPILE_CACHE } from '../../support/compile-cache.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { ENTER, PseudoTerminal } from '../pseudo-terminal.ts';
import { runProgram } from '../run-program.ts';
import { wlInside } from '../run-inside.ts';
import { PROGRAM, wl } from '../run-wl.ts';
import { sharedService } from '../../support/shared-service.ts';

const EVENTS = ['signup', 'sign out', "it's", 'a"b', 'count', 'naïve_日本'];

describe('completion', () => {
  let service: TestService;
  let env: Record<string, string>;

  before(async () => {
    service = await sharedService();
    await service.post('/track', { events: EVENTS.map((event_type) => ({ event_type })) });
    for (const event_type of ['bell\u0007', 'turned\u202E']) await service.post('/track', { event_type });
  });

  beforeEach(() => {
    const home = temporaryFolder();
    const bin = join(home, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'wl'), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 });
    env = {
      ...COMPILE_CACHE,
      HOME: home,
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      WINDLASS_HOST: service.url,
      WINDLASS_API_KEY: service.keys.secretKey,
      LC_ALL: 'C.UTF-8',
    };
  });
  // Kept for a minute: a busy machine may not have them within the two seconds that anybody waits for.
  beforeEach(async () => {
    while (!(await answer('zsh', 'wl inspect sig')).includes('signup\tevent'));
  });

  async function isHere(shell: string): Promise<boolean> {
    return (await runProgram('sh', ['-c', `command -v ${shell}`], { env })).code === 0;
  }

  /** The program's answer to a line; its first line says what to do with it. */
  async function answer(shell: string, line: string, extra: Record<string, string> = {}): Promise<string[]> {
    const { code, stdout, stderr } = await wlInside(['__complete', shell, line], { ...env, ...extra });
    expect([code, stderr], line).to.deep.equal([0, '']);
    return stdout.trimEnd().split('\n');
  }

  describe('of commands and options', () => {
    it('follows the definitions, with what they are for', async () => {
      expect(await answer('zsh', 'wl vers')).to.deep.equal(['words', 'version\tShow the version']);
      expect(await answer('bash', 'wl admin org ')).to.deep.equal([
        'words',
        'create',
        'list',
        'set',
        'suspend',
        'resume',
        'delete',
      ]);
      expect(await answer('bash', 'wl admin org create --da')).to.deep.equal(['words', '--data']);
      expect(await answer('bash', 'wl completion ')).to.deep.equal(['words', 'bash', 'zsh', 'fish']);
      expect(await answer('bash', 'wl query --limit 3 --li')).to.deep.equal(['words']);
      expect(await answer('bash', 'wl query --query x --quer')).to.deep.equal(['words', '--query']);
      expect(await answer('bash', 'wl --js')).to.deep.equal(['words', '--json']);
      expect(await answer('bash', 'wl q -- --')).to.deep.equal(['partial']);
      expect(await answer('bash', 'wl serve --data ./')).to.deep.equal(['files']);
      expect(await answer('bash', 'wl admin backup ')).to.deep.equal(['files']);
      expect(await answer('bash', 'wl nothing --x')).to.deep.equal(['words']);
    });

    it('knows the values of options, behind a blank and behind =', async () => {
      expect(await answer('bash', 'wl query --format ')).to.deep.equal([
        'words',
        'auto',
        'table',
        'json',
        'csv',
        'markdown',
      ]);
      expect(await answer('zsh', 'wl query --format=c')).to.deep.equal(['words', '--format=csv']);
    });
  });

  describe('of events', () => {
    it('completes them where nothing can be kept, and where the system says that even the root is missing', async () => {
      const file = join(env['HOME'] ?? '', 'file');
      writeFileSync(file, '');
      for (const cache of [join(file, 'cache'), '/proc/nobody/cache']) {
        const look = () => answer('zsh', 'wl inspect sig', { XDG_CACHE_HOME: cache });
        let lines = await look();
        for (let tries = 1; tries < 10 && !lines.includes('signup\tevent'); tries++) lines = await look(); // a busy machine
        expect(lines, cache).to.include('signup\tevent');
      }
    });

    it('asks the server, for the commands that take events', async () => {
      for (const line of ['wl inspect ', 'wl track ', 'wl choice results x --conversion ']) {
        const [what, ...names] = await answer('fish', line);
        expect([what, ...names.sort()], line).to.deep.equal([
          'words',
          ...EVENTS.map((name) => `${name}\tevent`).sort(),
        ]);
      }
    });

    it('writes them as the language does, where a query may name one', async () => {
      const cases: readonly (readonly [line: string, expected: string])[] = [
        ["wl query 'sig", 'signup\tevent'],
        ["wl query 'cou", ''],
        [`wl query '"cou`, '"count"\tevent'],
        ["wl query 'funnel signup -> na", 'funnel signup -> naïve_日本\tevent'],
        [`wl query 'funnel signup -> "sign o`, 'funnel signup -> "sign out"\tevent'],
        [`wl q --query='retention "a`, `--query=retention "a\\"b"\tevent`],
        ["wl explain 'reten", 'retention\tsource'],
        ["wl query 'signup | uniq", 'signup | unique\tstage'],
        ["wl query 'signup | count by si", ''],
        [
          "wl query 'signup | count by _brow",
          'signup | count by _browser\tfield\nsignup | count by _browser_version\tfield',
        ],
      ];
      for (const [line, expected] of cases) {
        expect((await answer('zsh', line)).slice(1).join('\n'), line).to.equal(expected);
      }
    });

    it('keeps them for a minute, where only the user can read them', async () => {
      await answer('zsh', 'wl inspect ');
      const folder = join(env['HOME'] ?? '', '.cache', 'windlass');
      const [file = '', ...more] = readdirSync(folder);
      expect(more).to.deep.equal([]);
      expect(statSync(folder).mode & 0o777).to.equal(0o700);
      expect(statSync(join(folder, file)).mode & 0o777).to.equal(0o600);
      expect(readFileSync(join(folder, file), 'utf8')).not.to.include(service.keys.secretKey);
      writeFileSync(join(folder, file), '["kept"]');
      expect(await answer('zsh', 'wl inspect ')).to.deep.equal(['words', 'kept\tevent']);
      writeFileSync(join(folder, file), 'broken');
      expect(await answer('zsh', 'wl inspect signu')).to.deep.equal(['words', 'signup\tevent']);
      const other = await answer('zsh', `wl inspect --api-key ${service.keys.project.publicKey} `);
      expect(other).to.deep.equal(['words']);
    });

    it('shows them where no cache can be written', async () => {
      const file = join(env['HOME'] ?? '', 'file');
      writeFileSync(file, '');
      let shown: string[] = [];
      // A busy machine may not have them within two seconds.
      for (let tries = 0; tries < 10 && !shown.includes('signup\tevent'); tries += 1)
        shown = await answer('zsh', 'wl inspect sig', { XDG_CACHE_HOME: file });
      expect(shown).to.include('signup\tevent');
    });

    it('says nothing and waits not long where no server answers', async () => {
      const silent = await listenOnLoopback(() => () => undefined);
      try {
        const answered = answer('zsh', 'wl inspect ', { WINDLASS_HOST: silent.url });
        const late = new AbortController();
        expect(await Promise.race([answered, pause(10_000, 'late', late)])).to.deep.equal(['words']);
        late.abort();
      } finally {
        await silent.stop();
      }
      expect(await answer('zsh', 'wl inspect ', { WINDLASS_HOST: 'http://127.0.0.1:1' })).to.deep.equal(['words']);
      expect(await answer('zsh', 'wl inspect ', { WINDLASS_HOST: 'nonsense' })).to.deep.equal(['words']);
    });

    it('sends no key of the user to a host that the folder names', async () => {
      const asked: string[] = [];
      const stranger = await listenOnLoopback(() => (request) => asked.push(request.url ?? ''));
      try {
        const folder = temporaryFolder();
        writeFileSync(join(folder, '.windlass.json'), JSON.stringify({ host: stranger.url }));
        mkdirSync(join(env['HOME'] ?? '', '.config', 'windlass'), { recursive: true });
        const config = join(env['HOME'] ?? '', '.config', 'windlass', 'config.json');
        writeFileSync(config, JSON.stringify({ api_key: service.keys.secretKey }));
        const { stdout } = await runProgram(process.execPath, [PROGRAM, '__complete', 'zsh', 'wl inspect '], {
          cwd: folder,
          env: { HOME: env['HOME'] ?? '' },
        });
        expect(stdout).to.equal('words\n');
        expect(asked).to.deep.equal([]);
      } finally {
        await stranger.stop();
      }
    });
  });

  describe('in bash', () => {
    /** COMPREPLY after Tab at the end of the line, which bash splits into `words`. */
    async function reply(line: string, words: readonly string[]): Promise<string[]> {
      const script = `
        source <(wl completion bash)
        COMP_LINE=$1; COMP_POINT=\${#COMP_LINE}; shift
        COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 ))
        _wl wl
        printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout, stderr } = await runProgram('bash', ['--norc', '-c', script, 'bash', line, ...words], { env });
      expect(stderr, line).to.equal('');
      return stdout.split('\n').filter((one) => one !== '');
    }

    it('completes commands and options', async () => {
      expect(await reply('wl adm', ['wl', 'adm'])).to.deep.equal(['admin']);
      expect(await reply('wl query --form', ['wl', 'query', '--form'])).to.deep.equal(['--format']);
      expect(await reply('wl bogus ', ['wl', 'bogus', ''])).not.to.include('words');
    });

    it('replaces what bash takes for the word: less, behind = and :', async () => {
      expect(await reply('wl query --format=', ['wl', 'query', '--format', '='])).to.deep.equal(['auto', 'table', 'json', 'csv', 'markdown']); // prettier-ignore
      expect(await reply('wl query --format=js', ['wl', 'query', '--format', '=', 'js'])).to.deep.equal(['json']);
      expect(await reply(`wl query --query='sig`, ['wl', 'query', '--query', '=', `'sig`])).to.deep.equal(['signup', 'signup ']); // prettier-ignore
    });

    it('quotes events as the line needs it', async () => {
      expect((await reply('wl inspect sign', ['wl', 'inspect', 'sign'])).sort()).to.deep.equal([
        'sign\\ out',
        'signup',
      ]);
      expect(await reply("wl inspect 'it", ['wl', 'inspect', "'it"])).to.deep.equal(["it'\\''s"]);
      expect(await reply('wl inspect "a', ['wl', 'inspect', '"a'])).to.deep.equal(['a\\"b']);
      expect(await reply('wl query funnel\\ sig', ['wl', 'query', 'funnel\\ sig'])).to.deep.equal(['funnel\\ signup']);
    });

    it('leaves a quote open in which a query goes on', async () => {
      const name = 'funnel signup -> naïve_日本';
      expect(await reply("wl query 'funnel signup -> na", ['wl', 'query', "'funnel signup -> na"])).to.deep.equal([name, `${name} `]); // prettier-ignore
    });
  });

  it('completes what is typed at the prompts of the shells of this machine', async () => {
    const prompts = [
      { shell: 'bash', start: 'bash --norc --noprofile -i', setUp: 'source <(wl completion bash)' },
      { shell: 'zsh', start: 'zsh -f -i', setUp: 'autoload -U compinit; compinit -u -D; source <(wl completion zsh)' },
      { shell: 'fish', start: 'fish --no-config -i', setUp: 'wl completion fish | source' },
    ];
    for (const { shell, start, setUp } of prompts) {
      if (!(await isHere(shell))) continue;
      const terminal = new PseudoTerminal([], { env, script: `exec ${start}` });
      terminal.type(`${setUp}; echo set"-"up${ENTER}`);
      await terminal.shows('set-up');
      terminal.type(`wl tr\tsign\\ \t--dry\t${ENTER}`);
      await terminal.shows('"event_type": "sign out"');
      terminal.type(`wl query --format csv 'sign\tu\t | last 1d'${ENTER}`);
      await terminal.shows('count');
      terminal.type(`exit${ENTER}`);
      await terminal.exited();
    }
  });

  it('prints scripts that the shells of this machine can read', async () => {
    const readers = { bash: '-n', zsh: '-n', fish: '--no-execute' };
    const read: string[] = [];
    for (const [shell, option] of Object.entries(readers)) {
      const script = join(temporaryFolder(), 'script');
      writeFileSync(script, (await wl(['completion', shell])).stdout);
      if (!(await isHere(shell))) continue; // bash always is
      const { code, stderr } = await runProgram(shell, [option, script], { env });
      expect([shell, code, stderr]).to.deep.equal([shell, 0, '']);
      read.push(shell);
    }
    expect(read).to.include('bash');
  });

  it('prints a script for each shell, and says which there are', async () => {
    for (const shell of ['bash', 'zsh', 'fish']) {
      const { code, stdout, stderr } = await wl(['completion', shell]);
      expect([code, stderr]).to.deep.equal([0, '']);
      expect(stdout).to.include(`__complete ${shell}`);
    }
    const { code, stdout, stderr } = await wl(['completion', 'tcsh']);
    expect([code, stdout]).to.deep.equal([1, '']);
    expect(stderr).to.include('bash').and.include('zsh').and.include('fish');
  });
});
