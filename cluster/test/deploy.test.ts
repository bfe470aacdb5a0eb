import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { describeSettings } from '../../lib/base/config/config.ts';

const FOLDER = 'cluster/deploy';
const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');

describe('cluster/deploy/', () => {
  it('sets only settings that there are', () => {
    const settings = new Set(describeSettings().map(({ name }) => name));
    const manifests = readdirSync(join(FOLDER, 'kubernetes')).map((name) => `kubernetes/${name}`);
    for (const file of ['compose.yaml', '.env.example', 'haproxy.cfg', 'try.sh', ...manifests]) {
      const named = [...read(file).matchAll(/\bWINDLASS_[A-Z\d_]*[A-Z]/g)].map(([name]) => name.replace(/_FILE$/, ''));
      const strange = named.filter((name) => !settings.has(name) && !settings.has(`${name}_FILE`));
      expect(strange, file).to.deep.equal([]);
    }
  });

  it('passes every setting into containers', () => {
    expect(read('compose.yaml')).to.match(/^ {2}env_file:.*\n {4}- path: windlass\.env$/m);
  });

  it('says of the salt of the day what docs/scale.md says: nodes share it', () => {
    for (const file of ['haproxy.cfg', 'kubernetes/nodes.yaml']) expect(read(file), file).to.not.match(/another salt/);
  });
});
