// node check-manifests.mjs FILE: looks at what `kubectl kustomize` built, as no API server was there to: each selector finds the pods
// of one workload, each port, volume, config map and secret that is named is there, and each workload has probes, limits and a budget.
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';

/** Made by hand, as the head of kustomization.yaml says. */
const SECRETS = { windlass: ['secret', 'store', 'control'], stores: ['clickhouse', 'postgres', 'cluster'] };
const objects = parseAllDocuments(readFileSync(process.argv[2], 'utf8')).map((document) => document.toJS());
const problems = [];
const of = (...kinds) => objects.filter(({ kind }) => kinds.includes(kind));
const workloads = of('Deployment', 'StatefulSet', 'Job');
const maps = new Map(of('ConfigMap').map(({ metadata, data }) => [metadata.name, data]));
const expect = (holds, text) => holds || problems.push(text);
const nameOf = ({ kind, metadata }) => `${kind} ${metadata.name}`;
const matching = (selector) =>
  workloads.filter(({ spec }) =>
    Object.entries(selector).every(([key, value]) => spec.template.metadata.labels[key] === value),
  );

for (const workload of workloads) {
  const { containers, volumes = [] } = workload.spec.template.spec;
  const known = new Map(
    [...volumes, ...(workload.spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata)].map((volume) => [
      volume.name,
      volume,
    ]),
  );
  for (const { configMap, secret } of volumes) {
    if (configMap !== undefined)
      expect(maps.has(configMap.name), `${nameOf(workload)}: no config map ${configMap.name}`);
    if (secret !== undefined)
      expect(secret.secretName in SECRETS, `${nameOf(workload)}: nobody makes the secret ${secret.secretName}`);
  }
  for (const container of containers) {
    const who = `${nameOf(workload)}, ${container.name}`;
    for (const { name, subPath } of container.volumeMounts ?? []) {
      expect(known.has(name), `${who}: no volume ${name}`);
      const data = maps.get(known.get(name)?.configMap?.name);
      if (subPath !== undefined) expect(data !== undefined && subPath in data, `${who}: no file ${subPath} in ${name}`);
    }
    for (const { configMapRef } of container.envFrom ?? [])
      expect(maps.has(configMapRef?.name), `${who}: no config map ${configMapRef?.name}`);
    for (const { name, value, valueFrom } of container.env ?? []) {
      const ref = valueFrom?.secretKeyRef;
      if (ref !== undefined)
        expect(SECRETS[ref.name]?.includes(ref.key), `${who}: nobody makes ${ref.key} of the secret ${ref.name}`);
      const file = /^\/run\/secrets\/windlass\/(.*)/.exec(value)?.[1];
      if (name.endsWith('_FILE'))
        expect(SECRETS.windlass.includes(file), `${who}: ${name} names no file of the secret`);
    }
    expect(container.resources?.limits?.memory !== undefined, `${who}: no limit of memory`);
    expect(container.securityContext?.capabilities?.drop?.includes('ALL'), `${who}: keeps capabilities`);
    if (workload.kind === 'Job') continue;
    const ports = (container.ports ?? []).map(({ name }) => name);
    for (const probe of ['readinessProbe', 'livenessProbe']) {
      const asked = container[probe]?.httpGet?.port ?? container[probe]?.tcpSocket?.port ?? ports[0];
      expect(container[probe] !== undefined && ports.includes(asked), `${who}: ${probe} asks no port of it`);
    }
  }
  if (workload.spec.replicas > 1) {
    const budgets = of('PodDisruptionBudget').filter(({ spec }) =>
      matching(spec.selector.matchLabels).includes(workload),
    );
    expect(budgets.length === 1, `${nameOf(workload)}: ${budgets.length} budgets of disruption`);
  }
}
for (const service of of('Service')) {
  const found = matching(service.spec.selector);
  expect(found.length === 1, `${nameOf(service)}: selects ${found.length} workloads`);
  const ports = (found[0]?.spec.template.spec.containers ?? []).flatMap((container) => container.ports ?? []);
  for (const { port, targetPort = port } of service.spec.ports)
    expect(
      ports.some(({ name, containerPort }) => [name, containerPort].includes(targetPort)),
      `${nameOf(service)}: nobody has port ${targetPort}`,
    );
}
const services = new Set(of('Service').map(({ metadata }) => metadata.name));
for (const { spec, ...rest } of of('StatefulSet'))
  expect(services.has(spec.serviceName), `${nameOf(rest)}: no service ${spec.serviceName}`);
for (const [, address] of Object.entries(Object.assign({}, ...maps.values())).filter(([name]) =>
  /^(?:REPLICA|KEEPER)_\d$/.test(name),
)) {
  const [, workload, place, service] = /^(\w+)-(\d)\.([\w-]+)$/.exec(address) ?? [];
  const named = of('StatefulSet').find(({ metadata }) => metadata.name === workload);
  expect(
    named?.spec.serviceName === service && Number(place) < named.spec.replicas,
    `no pod has the address ${address}`,
  );
}
for (const problem of problems) console.error(problem);
process.exitCode = problems.length > 0 || workloads.length === 0 ? 1 : 0;
