import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

interface Step {
  readonly run?: string;
  readonly uses?: string;
}

interface Workflow {
  readonly on: Record<string, unknown>;
  readonly permissions: Record<string, string>;
  readonly jobs: Record<string, { readonly 'timeout-minutes'?: number; readonly steps: readonly Step[] }>;
}

const FOLDER = '.github/workflows';
const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };

describe('the workflows of the forge', () => {
  const workflows = readdirSync(FOLDER).map((name) => ({
    name,
    workflow: parse(readFileSync(join(FOLDER, name), 'utf8')) as Workflow,
  }));
  const steps = workflows.flatMap(({ workflow }) => Object.values(workflow.jobs).flatMap((job) => job.steps));

  it('are CI and a release by its tag', () => {
    expect(workflows.map(({ name }) => name)).to.deep.equal(['ci.yaml', 'release.yaml']);
    const [ci, release] = workflows.map(({ workflow }) => workflow.on);
    expect(ci).to.have.all.keys('pull_request', 'push');
    expect(release).to.deep.equal({ push: { tags: ['v*'] } });
  });

  it('run what there is', () => {
    const lines = steps.flatMap(({ run }) => run ?? []);
    expect(lines).to.include('.ci/run');
    for (const line of lines) {
      for (const [, name = ''] of line.matchAll(/\bnpm run ([\w:]+)/g)) expect(scripts, line).to.have.property(name);
      for (const [file] of line.matchAll(/(?<=^|\s)\.ci\/\w+/g)) {
        expect(existsSync(file), line).to.equal(true);
        expect(statSync(file).mode & 0o111, `${file} is executable`).to.equal(0o111);
      }
    }
  });

  it('may write only where a release needs it, end, and use actions by their commits', () => {
    for (const { name, workflow } of workflows) {
      expect(workflow.permissions, name).to.deep.equal({ contents: 'read' });
      for (const job of Object.values(workflow.jobs)) expect(job['timeout-minutes'], name).to.be.a('number');
    }
    const used = steps.flatMap(({ uses }) => uses ?? []);
    expect(used).to.have.length.above(2);
    for (const action of used) expect(action).to.match(/^actions\/[\w-]+@[0-9a-f]{40}$/);
  });
});
