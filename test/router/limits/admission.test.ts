import { expect } from 'chai';
import { Admission } from '../../../lib/router/limits/admission.ts';
import { ORGANIZATION_SHARE } from '../../../lib/base/project.ts';

/** Tasks that end when told. */
class Tasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, (error?: Error) => void>();

  task(name: string): () => Promise<string> {
    return () => {
      this.started.push(name);
      return new Promise((resolve, reject) => {
        this.#ends.set(name, (error) => (error === undefined ? resolve(name) : reject(error)));
      });
    };
  }

  async end(name: string, error?: Error): Promise<void> {
    this.#ends.get(name)?.(error);
    await turn();
  }
}

const turn = (): Promise<void> => new Promise((done) => setImmediate(done));
const project = (id: string, orgId = 'org'): { id: string; orgId: string; weight: number } => ({
  id,
  orgId,
  weight: 1,
});
const never = new AbortController().signal;

describe('Admission', () => {
  it('runs so many queries of a project at once, and the others in their order', async () => {
    const [admission, tasks] = [new Admission(2, 60_000), new Tasks()];
    const answers = ['a', 'b', 'c', 'd'].map((name) => admission.run(project('p'), tasks.task(name), never));
    await turn();
    expect(tasks.started).to.deep.equal(['a', 'b']);
    expect([admission.load, admission.loadOf('p')]).to.deep.equal([
      { running: 2, waiting: 2 },
      { running: 2, waiting: 2 },
    ]);
    await tasks.end('b');
    await tasks.end('a');
    expect(tasks.started).to.deep.equal(['a', 'b', 'c', 'd']);
    await tasks.end('c');
    await tasks.end('d');
    expect(await Promise.all(answers)).to.deep.equal(['a', 'b', 'c', 'd']);
    expect([admission.load, admission.loadOf('p')]).to.deep.equal([
      { running: 0, waiting: 0 },
      { running: 0, waiting: 0 },
    ]);
  });

  it('counts a query that began alone among those of the queue that the next ones need, also when it fails', async () => {
    const [admission, tasks] = [new Admission(1, 60_000), new Tasks()];
    const first = admission.run(project('p'), tasks.task('a'), never).catch((error: Error) => error.message);
    await turn();
    const second = admission.run(project('p'), tasks.task('b'), never);
    await turn();
    expect(tasks.started).to.deep.equal(['a']);
    await tasks.end('a', new Error('broken'));
    expect(tasks.started).to.deep.equal(['a', 'b']);
    await tasks.end('b');
    expect([await first, await second]).to.deep.equal(['broken', 'b']);
    const third = admission.run(project('p'), tasks.task('c'), never);
    await turn();
    expect([admission.load, tasks.started]).to.deep.equal([{ running: 1, waiting: 0 }, ['a', 'b', 'c']]);
    await tasks.end('c');
    expect(await third).to.equal('c');
  });

  it('limits an organization, too, and forgets a query whose client left while it waited', async () => {
    const [admission, tasks] = [new Admission(1, 60_000), new Tasks()];
    const names = Array.from({ length: ORGANIZATION_SHARE }, (_, nth) => `p${nth}`);
    const running = names.map((name) => admission.run(project(name), tasks.task(name), never));
    const left = new AbortController();
    const gone = admission.run(project('q'), tasks.task('q'), left.signal).catch((error: Error) => error.message);
    const other = admission.run(project('z', 'elsewhere'), tasks.task('z'), never);
    await turn();
    expect(tasks.started).to.deep.equal([...names, 'z']);
    expect(admission.load).to.deep.equal({ running: ORGANIZATION_SHARE + 1, waiting: 1 });
    left.abort(new Error('left'));
    expect(await gone).to.equal('left');
    for (const name of [...names, 'z']) await tasks.end(name);
    await Promise.all([...running, other]);
    expect([admission.load, tasks.started]).to.deep.equal([{ running: 0, waiting: 0 }, [...names, 'z']]);
  });

  it('refuses what waits too long', async () => {
    const [admission, tasks] = [new Admission(1, 5), new Tasks()];
    const first = admission.run(project('p'), tasks.task('a'), never);
    const second = await admission.run(project('p'), tasks.task('b'), never).catch((error: Error) => error.message);
    expect(second).to.match(/^1 queries of this project/);
    await tasks.end('a');
    expect([await first, tasks.started]).to.deep.equal(['a', ['a']]);
  });
});
