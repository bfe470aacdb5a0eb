import { readdirSync, readFileSync } from 'node:fs';
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
  for (const file of ['prometheus/alerts.yaml', 'prometheus/alerts.test.yaml', 'grafana/windlass.json']) {
    it(`asks for metrics that there are: ${file}`, () => {
      const asked = [...read(file).matchAll(/\b(windlass_\w+?)(?:_bucket|_count|_sum)?\b(?=[\s{[)<>=]|$)/gm)];
      const names = new Set(asked.flatMap(([, name]) => name ?? []));
      expect(names.size).to.be.above(5);
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
    const files = ['docker/Dockerfile', 'docker/compose.yaml', 'docker/.env.example', 'systemd/windlass.service'];
    const cluster = ['compose.yaml', '.env.example', 'haproxy.cfg', 'try.sh'].map((name) => `cluster/${name}`);
    const folders = ['kubernetes', 'cluster/kubernetes'];
    const manifests = folders.flatMap((folder) =>
      readdirSync(join('deploy', folder)).map((name) => `${folder}/${name}`),
    );
    for (const file of [
      ...files,
      ...cluster,
      ...manifests,
      'proxies/Caddyfile',
      'proxies/nginx.conf',
      'proxies/haproxy.cfg',
    ]) {
      const named = [...read(file).matchAll(/\bWINDLASS_[A-Z\d_]*[A-Z]/g)].map(([name]) => name.replace(/_FILE$/, ''));
      const strange = named.filter((name) => !settings.has(name) && !ofCompose.includes(name));
      expect(strange, file).to.deep.equal([]);
    }
  });

  it('is found where docs/operations.md says', () => {
    const page = readFileSync('docs/operations.md', 'utf8');
    const linked = [...page.matchAll(/\]\(\.\.\/deploy\/([^)]+)\)/g)].flatMap(([, file]) => file ?? []);
    expect(linked.length).to.be.above(5);
    for (const file of linked) expect(read(file), file).to.not.equal('');
  });
});
