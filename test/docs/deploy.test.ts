import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeSettings } from '../../lib/base/config/config.ts';

const read = (file: string): string => readFileSync(join('deploy', file), 'utf8');

/** Names of metrics listed in docs/operations.md; another test checks them against the program. */
function known(): ReadonlySet<string> {
  const page = readFileSync('docs/operations.md', 'utf8');
  return new Set([...page.matchAll(/^\| `(windlass_\w+)`/gm)].flatMap(([, name]) => name ?? []));
}

describe('deploy/', () => {
  for (const file of [
    'prometheus/alerts.yaml',
    'prometheus/alerts.test.yaml',
    'grafana/windlass.json',
    'grafana/projects.json',
  ]) {
    it(`asks for metrics that there are: ${file}`, () => {
      const asked = [...read(file).matchAll(/\b(windlass_\w+?)(?:_bucket|_count|_sum)?\b(?=[\s{[)<>=]|$)/gm)];
      const names = new Set(asked.flatMap(([, name]) => name ?? []));
      expect(names.size).to.be.at.least(5);
      expect([...names].filter((name) => !known().has(name))).to.deep.equal([]);
    });
  }

  it('has a runbook line and a severity for every alert', () => {
    const alerts = read('prometheus/alerts.yaml').split('- alert: ').slice(1);
    expect(alerts.length).to.be.above(10);
    for (const alert of alerts)
      expect(alert)
        .to.match(/severity: (?:page|ticket)/)
        .and.match(/runbook: \S/);
  });

  it('sets only settings that there are', () => {
    const settings = new Set(describeSettings().map(({ name }) => name));
    const ofCompose = ['WINDLASS_HOST', 'WINDLASS_UPSTREAM', 'WINDLASS_BACKUPS', 'WINDLASS_CONTAINER_MEMORY'];
    const files = ['Dockerfile', 'compose.yaml', '.env.example', 'windlass.env.example'].map(
      (name) => `docker/${name}`,
    );
    const manifests = globSync('kubernetes/**/*.yaml', { cwd: 'deploy' });
    for (const file of [
      ...files,
      ...manifests,
      'systemd/windlass.service',
      'proxies/Caddyfile',
      'proxies/nginx.conf',
      'proxies/haproxy.cfg',
    ]) {
      const named = [...read(file).matchAll(/\bWINDLASS_[A-Z\d_]*[A-Z]/g)].map(([name]) => name.replace(/_FILE$/, ''));
      const strange = named.filter(
        (name) => !settings.has(name) && !settings.has(`${name}_FILE`) && !ofCompose.includes(name),
      );
      expect(strange, file).to.deep.equal([]);
    }
  });

  it('passes every setting into containers', () => {
    expect(read('docker/compose.yaml')).to.match(/^ {4}env_file: windlass\.env\b/m);
    const used = [...read('docker/compose.yaml').matchAll(/\$\{(\w+)/g)].flatMap(([, name]) => name ?? []);
    const given = [...read('docker/.env.example').matchAll(/^(\w+)=/gm)].flatMap(([, name]) => name ?? []);
    expect(new Set(given)).to.deep.equal(new Set(used));
  });

  it('takes the bases of its image by digest', () => {
    const file = read('docker/Dockerfile');
    const bases = [...file.matchAll(/^FROM (\S+)/gm)].flatMap(([, base]) => base ?? []);
    expect(bases).to.have.length(3);
    for (const base of bases) {
      const name = /^\$\{(\w+)\}$/.exec(base)?.[1] ?? '';
      expect(file, base).to.match(new RegExp(`^ARG ${name}=\\S+@sha256:[0-9a-f]{64}$`, 'm'));
    }
  });

  it('never gives up to start under systemd, and waits longer each time', () => {
    const unit = read('systemd/windlass.service');
    for (const line of ['StartLimitIntervalSec=0', 'Restart=always', 'RestartSteps=10', 'RestartMaxDelaySec=60s'])
      expect(unit.split('\n')).to.include(line);
    expect(unit).to.not.include('StartLimitBurst');
  });

  it('keeps the keys of a first start out of logs', () => {
    for (const file of ['docker/windlass.env.example', 'systemd/windlass.service', 'kubernetes/kustomization.yaml'])
      expect(read(file), file).to.match(/WINDLASS_FIRST_KEYS_FILE=\S+\/first-keys$/m);
  });

  it('is found where docs/operations.md says', () => {
    const page = readFileSync('docs/operations.md', 'utf8');
    const linked = [...page.matchAll(/\]\(\.\.\/deploy\/([^)]+)\)/g)].flatMap(([, file]) => file ?? []);
    expect(linked.length).to.be.above(5);
    for (const file of linked) expect(read(file), file).to.not.equal('');
  });
});
