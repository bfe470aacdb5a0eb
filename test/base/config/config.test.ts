import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeProviderSettings } from '../../../lib/base/config/auth-providers.ts';
import { describeSettings, readConfig, unknownSettings } from '../../../lib/base/config/config.ts';
import { ConfigError } from '../../../lib/base/config/setting-source.ts';
import { settingsPage } from '../../../scripts/settings-page.ts';

describe('settings', () => {
  it('have the documented defaults', () => {
    const config = readConfig({});
    expect(config.addr).to.deep.equal({ host: '127.0.0.1', port: 8080 });
    expect(config.metricsAddr).to.deep.equal({ host: '127.0.0.1', port: 9464 });
    expect(config.queryTimeout).to.equal(25_000);
    expect(config.bodyLimit).to.equal(5 * 1_048_576);
    expect(config.trustedProxies).to.deep.equal([]);
    expect(config.secret).to.equal(null);
  });

  const readings: [setting: string, text: string, key: keyof ReturnType<typeof readConfig>, value: unknown][] = [
    ['WINDLASS_QUERY_TIMEOUT', '900ms', 'queryTimeout', 900],
    ['WINDLASS_QUERY_TIMEOUT', '2m', 'queryTimeout', 120_000],
    ['WINDLASS_BODY_LIMIT', '10MB', 'bodyLimit', 10_000_000],
    ['WINDLASS_BODY_LIMIT', '4096', 'bodyLimit', 4_096],
    ['WINDLASS_ADDR', ':80', 'addr', { host: '::', port: 80 }],
    ['WINDLASS_ADDR', '[::1]:9000', 'addr', { host: '::1', port: 9_000 }],
    ['WINDLASS_METRICS_ADDR', 'none', 'metricsAddr', null],
    ['WINDLASS_QUERIES', 'off', 'queries', false],
    ['WINDLASS_LOG_LEVEL', 'WARN', 'logLevel', 'warn'],
    ['WINDLASS_URL', 'https://stats.example.org/', 'url', 'https://stats.example.org'],
    ['WINDLASS_GEOIP_FILE', '/var/geo.mmdb', 'geoipFile', '/var/geo.mmdb'],
    ['WINDLASS_EVENTS_PER_MINUTE', '0', 'eventsPerMinute', 0],
    ['WINDLASS_PRICE', '0.000125', 'price', 0.000_125],
    ['WINDLASS_PRICE', 'none', 'price', null],
    ['WINDLASS_CURRENCY', 'jpy', 'currency', 'JPY'],
  ];
  for (const [setting, text, key, value] of readings) {
    it(`read ${setting}=${text}`, () => {
      expect(readConfig({ [setting]: text })[key]).to.deep.equal(value);
    });
  }

  const mistakes: [setting: string, text: string][] = [
    ['WINDLASS_QUERY_TIMEOUT', '25'],
    ['WINDLASS_QUERY_TIMEOUT', '2h'],
    ['WINDLASS_QUERY_TIMEOUT', '1.5s'],
    ['WINDLASS_BODY_LIMIT', 'large'],
    ['WINDLASS_THREADS', '0'],
    ['WINDLASS_THREADS', '-1'],
    ['WINDLASS_ADDR', '8080'],
    ['WINDLASS_ADDR', 'localhost:80800'],
    ['WINDLASS_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['WINDLASS_TRUSTED_PROXIES', '10.1/16'],
    ['WINDLASS_TRUSTED_PROXIES', '1.2.3'],
    ['WINDLASS_TRUSTED_PROXIES', '010.0.0.0/8'],
    ['WINDLASS_TRUSTED_PROXIES', '10.0.0.0/8,,::1'],
    ['WINDLASS_URL', 'ftp://example.org'],
    ['WINDLASS_QUERIES', 'perhaps'],
    ['WINDLASS_LOG_LEVEL', 'loud'],
    ['WINDLASS_PRICE', '0.1234567'],
    ['WINDLASS_PRICE', '-1'],
    ['WINDLASS_CURRENCY', 'EURO'],
    ['WINDLASS_CURRENCY', 'QQQ'],
    ['WINDLASS_OPERATOR_CONTACT', 'javascript:alert(1)'],
    ['WINDLASS_OPERATOR_CONTACT', 'a@b?bcc=c'],
    ['WINDLASS_BACKUP_DIR', 's3://Not_A_Bucket'],
    ['WINDLASS_BACKUP_DIR', 's3://bucket/../other'],
  ];
  for (const [setting, text] of mistakes) {
    it(`refuse ${setting}=${text} and name it`, () => {
      expect(() => readConfig({ [setting]: text })).to.throw(ConfigError, setting);
    });
  }

  it('name every mistake at once', () => {
    const read = (): unknown => readConfig({ WINDLASS_THREADS: 'x', WINDLASS_ADDR: 'y' });
    expect(read).to.throw(ConfigError, /WINDLASS_ADDR[^]*WINDLASS_THREADS/);
  });

  it('name the key that backups in a bucket lack', () => {
    const key = { WINDLASS_BACKUP_S3_KEY: 'id', WINDLASS_BACKUP_S3_SECRET: 'secret' };
    const target = { WINDLASS_BACKUP_DIR: 's3://backups/w' };
    expect(() => readConfig(target)).to.throw(ConfigError, 'WINDLASS_BACKUP_S3_SECRET must be set');
    expect(readConfig({ ...target, ...key }).backupDir).to.equal('s3://backups/w');
  });

  it('never show a secret', () => {
    expect(() => readConfig({ WINDLASS_SECRET: 'hunter2' })).to.throw(
      ConfigError,
      /^(?![^]*hunter2)[^]*WINDLASS_SECRET/,
    );
  });

  it('come from a file, from the environment before that, and from a flag before all', () => {
    const folder = mkdtempSync(join(tmpdir(), 'windlass-'));
    const file = join(folder, 'timeout');
    writeFileSync(file, '3s\n');
    const env = { WINDLASS_QUERY_TIMEOUT_FILE: file };
    expect(readConfig(env).queryTimeout).to.equal(3_000);
    expect(readConfig({ ...env, WINDLASS_QUERY_TIMEOUT: '4s' }).queryTimeout).to.equal(4_000);
    expect(readConfig({ ...env, WINDLASS_QUERY_TIMEOUT: '4s' }, { 'query-timeout': '5s' }).queryTimeout).to.equal(
      5_000,
    );
    rmSync(folder, { recursive: true });
    expect(() => readConfig(env)).to.throw(ConfigError, 'WINDLASS_QUERY_TIMEOUT_FILE');
  });

  it('that do not exist are told, but for those of the client and of login', () => {
    const env = { WINDLASS_QUERY_TIMEOT: '1s', WINDLASS_HOST: 'x', PATH: 'z', WINDLASS_AUTH_FAILURES_PER_MINUTE: '1' };
    const login = { WINDLASS_AUTH_GITHUB_CLIENT_ID: 'y', WINDLASS_AUTH_GITHUB_CLIENT_SECRET_FILE: 'f' };
    const slips = { WINDLASS_AUTH_GOOGLE_CLIENTID: 'y', WINDLASS_AUTH_google_ISSUER: 'x' };
    expect(unknownSettings({ ...env, ...login, ...slips })).to.have.members([
      'WINDLASS_QUERY_TIMEOT',
      'WINDLASS_AUTH_GOOGLE_CLIENTID',
      'WINDLASS_AUTH_google_ISSUER',
    ]);
  });

  it('are all on the page docs/configuration.md (scripts/write-configuration.ts writes it)', () => {
    expect(readFileSync('docs/configuration.md', 'utf8')).to.equal(
      settingsPage(describeSettings(), describeProviderSettings()),
    );
  });
});
