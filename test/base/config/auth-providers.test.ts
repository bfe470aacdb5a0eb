import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { readAuthProviders } from '../../../lib/base/config/auth-providers.ts';
import { readConfig } from '../../../lib/base/config/config.ts';
import { ConfigError } from '../../../lib/base/config/setting-source.ts';

const GOOGLE = {
  WINDLASS_AUTH_GOOGLE_ISSUER: 'https://accounts.google.com',
  WINDLASS_AUTH_GOOGLE_CLIENT_ID: 'windlass',
  WINDLASS_AUTH_GOOGLE_CLIENT_SECRET: 'hush',
};
const GITHUB = { WINDLASS_AUTH_GITHUB_CLIENT_ID: 'windlass', WINDLASS_AUTH_GITHUB_CLIENT_SECRET: 'hush' };

describe('login providers', () => {
  it('are none when nothing is set, or what is set is empty', () => {
    expect(readAuthProviders({})).to.deep.equal([]);
    expect(readAuthProviders({ WINDLASS_AUTH_GOOGLE_ISSUER: '', WINDLASS_AUTH_GOOGLE_CLIENT_ID: ' ' })).to.deep.equal(
      [],
    );
  });

  it('are read by name, in order, into the configuration', () => {
    expect(readConfig({ ...GOOGLE, ...GITHUB }).authProviders).to.deep.equal([
      {
        kind: 'github',
        name: 'github',
        label: 'GitHub',
        clientId: 'windlass',
        clientSecret: 'hush',
        scopes: 'read:user user:email',
        url: 'https://github.com',
        apiUrl: 'https://api.github.com',
      },
      {
        kind: 'openid',
        name: 'google',
        label: 'Google',
        clientId: 'windlass',
        clientSecret: 'hush',
        scopes: 'openid email profile',
        issuer: 'https://accounts.google.com',
      },
    ]);
  });

  it('may have names of several words, labels and scopes', () => {
    const [provider] = readAuthProviders({
      WINDLASS_AUTH_OUR_OWN_ISSUER: 'https://id.example.org/realms/main',
      WINDLASS_AUTH_OUR_OWN_CLIENT_ID: 'windlass',
      WINDLASS_AUTH_OUR_OWN_CLIENT_SECRET: 'hush',
      WINDLASS_AUTH_OUR_OWN_SCOPES: 'openid email',
    });
    expect(provider).to.include({ name: 'our_own', label: 'Our own', scopes: 'openid email' });
  });

  it('take GitHub Enterprise by its address, and its API below it', () => {
    const [provider] = readAuthProviders({ ...GITHUB, WINDLASS_AUTH_GITHUB_URL: 'https://git.example.org/' });
    expect(provider).to.include({ url: 'https://git.example.org', apiUrl: 'https://git.example.org/api/v3' });
  });

  it('read secrets from files', () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    const file = join(folder, 'secret');
    writeFileSync(file, 'from a file\n');
    const { WINDLASS_AUTH_GOOGLE_CLIENT_SECRET: _, ...rest } = GOOGLE;
    const [provider] = readAuthProviders({ ...rest, WINDLASS_AUTH_GOOGLE_CLIENT_SECRET_FILE: file });
    expect(provider?.clientSecret).to.equal('from a file');
    rmSync(folder, { recursive: true });
    expect(() => readAuthProviders({ ...rest, WINDLASS_AUTH_GOOGLE_CLIENT_SECRET_FILE: file })).to.throw(
      ConfigError,
      'WINDLASS_AUTH_GOOGLE_CLIENT_SECRET_FILE',
    );
  });

  for (const issuer of ['http://127.0.0.1:4000', 'http://[::1]:4000', 'http://localhost:4000/realms/x']) {
    it(`may have the issuer ${issuer} on this machine`, () => {
      const [provider] = readAuthProviders({ ...GOOGLE, WINDLASS_AUTH_GOOGLE_ISSUER: issuer });
      expect(provider).to.include({ issuer });
    });
  }

  const wrong: [setting: string, value: string][] = [
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'http://accounts.example.org'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'http://127.0.0.1.example.org'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'http://10.0.0.1'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'accounts.google.com'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'https://me:you@accounts.google.com'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'https://accounts.google.com?x=1'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', 'https://accounts.google.com/.well-known/openid-configuration'],
    ['WINDLASS_AUTH_GOOGLE_ISSUER', ''],
    ['WINDLASS_AUTH_GOOGLE_CLIENT_ID', ''],
    ['WINDLASS_AUTH_GOOGLE_CLIENT_SECRET', ''],
    ['WINDLASS_AUTH_GOOGLE_SCOPES', 'email profile'],
    ['WINDLASS_AUTH_GOOGLE_SCOPES', 'openid "email"'],
    ['WINDLASS_AUTH_GOOGLE_URL', 'https://git.example.org'],
    ['WINDLASS_AUTH_GITHUB_ISSUER', 'https://github.com'],
    ['WINDLASS_AUTH_GITHUB_URL', 'http://git.example.org'],
    ['WINDLASS_AUTH_GITHUB_CLIENT_SECRET', ''],
  ];
  for (const [setting, value] of wrong) {
    it(`stop the start at ${setting}=${value}, and name it`, () => {
      expect(() => readConfig({ ...GOOGLE, ...GITHUB, [setting]: value })).to.throw(ConfigError, setting);
    });
  }

  for (const name of ['LINK', 'LOGOUT', '_X', 'A'.repeat(33)]) {
    it(`cannot be called ${name}`, () => {
      expect(() => readAuthProviders({ [`WINDLASS_AUTH_${name}_CLIENT_ID`]: 'x' })).to.throw(ConfigError, name);
    });
  }

  it('name every mistake at once, and no secret', () => {
    const env = { ...GOOGLE, WINDLASS_AUTH_GOOGLE_ISSUER: 'x', WINDLASS_AUTH_GITHUB_CLIENT_SECRET: 'hush' };
    expect(() => readConfig({ ...env, WINDLASS_THREADS: 'x' })).to.throw(
      ConfigError,
      /^(?![^]*hush)[^]*THREADS[^]*GITHUB_CLIENT_ID[^]*GOOGLE_ISSUER/,
    );
  });
});
