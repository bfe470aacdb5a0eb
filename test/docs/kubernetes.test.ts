import { globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { prometheusRule } from '../../scripts/prometheus-rule.ts';

const FOLDER = 'deploy/kubernetes';
const text = (file: string): string => readFileSync(join('deploy', file), 'utf8');
// oxlint-disable-next-line typescript/no-explicit-any -- manifests of many kinds
const manifest = (name: string): any => parse(text(`kubernetes/${name}`));

describe('deploy/kubernetes', () => {
  const base = manifest('kustomization.yaml');
  const watch = manifest('watch/kustomization.yaml');
  const service = manifest('service.yaml');
  const container = manifest('statefulset.yaml').spec.template.spec.containers[0];

  it('has every manifest of a folder in its kustomization, and no other', () => {
    for (const [folder, { resources }] of [
      [FOLDER, base],
      [join(FOLDER, 'watch'), watch],
    ] as const) {
      const files = globSync('*.yaml', { cwd: folder }).filter((name) => name !== 'kustomization.yaml');
      const [own, folders] = [resources.filter((name: string) => name.endsWith('.yaml')), resources.filter((name: string) => !name.endsWith('.yaml'))]; // prettier-ignore
      expect(own, folder).to.have.members(files);
      for (const other of folders)
        expect(parse(readFileSync(join(folder, other, 'kustomization.yaml'), 'utf8')), other).to.have.property('kind', 'Kustomization'); // prettier-ignore
    }
  });

  it('leads from the outside to the container by names that there are', () => {
    const ports: { name: string; targetPort: string }[] = service.spec.ports;
    const inside = new Set(container.ports.map(({ name }: { name: string }) => name));
    for (const { targetPort } of ports) expect(inside).to.include(targetPort);
    const { spec } = manifest('ingress.yaml');
    expect(spec.rules).to.have.length(1);
    const [{ host, http }] = spec.rules;
    const [{ backend }] = http.paths;
    expect(backend.service.name).to.equal(service.metadata.name);
    expect(ports.map(({ name }) => name)).to.include(backend.service.port.name);
    expect(spec.tls[0].hosts).to.deep.equal([host]);
    expect(base.configMapGenerator[0].literals).to.include(`WINDLASS_URL=https://${host}`);
    const allowed = manifest('networkpolicy.yaml').spec.ingress.map(({ ports: [one] }: { ports: [{ port: string }] }) => one.port); // prettier-ignore
    expect(allowed).to.have.members([...inside]);
  });

  it('is measured by the labels and the port of its service, under the job of the alerts', () => {
    const { spec } = manifest('watch/servicemonitor.yaml');
    expect(spec.selector.matchLabels).to.deep.equal(base.labels[0].pairs);
    expect(base.labels[0].includeSelectors).to.equal(true);
    for (const { port } of spec.endpoints)
      expect(service.spec.ports.map(({ name }: { name: string }) => name)).to.include(port);
    expect(base.namespace).to.equal(watch.namespace);
    const jobs = [...text('prometheus/alerts.yaml').matchAll(/\bjob="([^"]+)"/g)].map(([, job]) => job);
    expect(jobs.length).to.be.above(0);
    expect(new Set(jobs)).to.deep.equal(new Set([service.metadata.name]));
  });

  it('has the alerts of deploy/prometheus', () => {
    const alerts = text('prometheus/alerts.yaml');
    const rule = text('kubernetes/watch/prometheusrule.yaml');
    expect(rule, 'run `npm run docs`').to.equal(prometheusRule(alerts));
    expect(parse(rule)).to.deep.include({ kind: 'PrometheusRule', spec: parse(alerts) });
  });

  it('has the dashboards of deploy/grafana, all of them, under the label that Grafana looks for', () => {
    const folder = watch.resources.find((name: string) => name.endsWith('grafana'));
    expect(normalize(join('kubernetes/watch', folder))).to.equal('grafana');
    const [generated, ...others] = parse(text('grafana/kustomization.yaml')).configMapGenerator;
    expect(others).to.deep.equal([]);
    expect(generated.files).to.have.members(globSync('*.json', { cwd: 'deploy/grafana' }));
    expect(generated.options.labels).to.deep.equal({ grafana_dashboard: '1' });
    for (const file of generated.files) expect(JSON.parse(text(`grafana/${file}`))).to.have.property('uid');
  });
});
