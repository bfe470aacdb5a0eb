import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import type { Tenant } from '../../../lib/base/project.ts';
import { TaskTurns } from '../../../lib/base/task-turns.ts';
import { CHECK_TURNS } from '../../../lib/router/reading/read-apart.ts';

const tenant = (orgId: string, id = `prj_of_${orgId}`): Tenant => ({ id, orgId, weight: 1 });
const FLOOD = tenant('org_flood');
const CALM = tenant('org_calm');

describe('turns of checking dashboards', () => {
  let now = 0;
  let turns: TaskTurns;
  /** The checks that began, in order. */
  let begun: string[];
  /** Ends the check that runs. */
  let end: () => void;
  beforeEach(() => {
    now = 0;
    turns = new TaskTurns({ ...CHECK_TURNS, now: () => now });
    begun = [];
    end = () => undefined;
  });

  /** Answers what becomes of the check: `done`, or the code of its error. */
  async function check(by: Tenant, name: string, fails = false): Promise<string> {
    try {
      await turns.run(by, async () => {
        begun.push(name);
        await new Promise<void>((resolve) => (end = resolve));
        if (fails) throw new AppError('internal', 'broken');
      });
      return 'done';
    } catch (error) {
      return (error as AppError).data.code;
    }
  }

  const soon = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  /** Ends all checks, each after so many milliseconds. */
  async function endAll(took: (name: string) => number): Promise<void> {
    for (let done = 0; done < begun.length; done += 1) {
      now += took(begun[done] ?? '');
      end();
      await soon();
    }
  }

  it('go by the time that checks took, first come first served within a project', async () => {
    const all = ['f1', 'f2', 'f3'].map((name) => check(FLOOD, name));
    all.push(...['c1', 'c2', 'c3'].map((name) => check(CALM, name)));
    await soon();
    expect(begun).to.deep.equal(['f1']);
    await endAll((name) => (name.startsWith('f') ? 1_000 : 400));
    expect(begun).to.deep.equal(['f1', 'c1', 'c2', 'c3', 'f2', 'f3']);
    expect(await Promise.all(all)).to.deep.equal(Array(6).fill('done'));
  });

  it('are waited for by four checks of an organization, whatever its projects, and by 32 of all', async () => {
    const flood = Array.from({ length: 7 }, (_, n) => check(tenant('org_flood', `prj_${n % 2}`), `f${n}`));
    expect(await Promise.all(flood.slice(5))).to.deep.equal(['overloaded', 'overloaded']);
    const others = Array.from({ length: 28 }, (_, n) => check(tenant(`org_${n}`), `o${n}`));
    expect(await check(CALM, 'one too many')).to.equal('overloaded');
    await soon();
    await endAll(() => 10);
    expect(await Promise.all([...flood.slice(0, 5), ...others])).to.deep.equal(Array(33).fill('done'));
    const again = check(FLOOD, 'again');
    await soon();
    end();
    expect(await again).to.equal('done');
  });

  it('go on after a check that failed', async () => {
    const all = [check(FLOOD, 'f1', true), check(CALM, 'c1')];
    await soon();
    await endAll(() => 10);
    expect(await Promise.all(all)).to.deep.equal(['internal', 'done']);
  });
});
