import fs from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { compile } from '../../support/compile.ts';
import { projectShard } from '../../support/memory-projects.ts';
import { CONTROL, CONTROL_LENGTH, type PartTask, type Reply } from '../../../lib/workers/pool/protocol.ts';
import { WHOLE } from '../../../lib/workers/query-context.ts';
import { TaskRunner } from '../../../lib/workers/pool/task-runner.ts';
import { ProfileDictionaries } from '../../../lib/workers/rows/profile-dictionaries.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { JANUARY } from '../../dsl/plans.ts';

const EXPRESSIONS = 30;
const MOST_PAUSES = 100_000;

describe('regular expressions over a dictionary', () => {
  /** The replies of a thread up to the answer, while `waiting` others want it. @param onPause Called when it pauses. */
  function replies(waiting: number, shard = projectShard('prj_wide'), onPause = (): void => undefined): Reply[] {
    const control = new Int32Array(CONTROL_LENGTH);
    Atomics.store(control, CONTROL.waiting, waiting);
    const profiles = new ProfileDictionaries(shard.profiles(), shard.ids());
    const thread = new TaskRunner(
      {
        cacheBytes: 0,
        atRest: () => shard.snapshot('prj_memory'),
        reader: () => shard,
        profiles: () => profiles,
        forget: () => undefined,
        leaveRoom: () => undefined,
      },
      control,
    );
    const tests = Array.from({ length: EXPRESSIONS }, (_, n) => `event_properties.text ~ "x+t [0-9]*${n}$"`);
    const query = `* | where ${tests.join(' or ')} | count`;
    const now = JANUARY + 86_400_000 * 2;
    const { optimized: plan } = compile(query, { now, timezone: null, limit: 100, offset: 0 }, []);
    const snapshot = shard.snapshot();
    const [first] = snapshot.segments;
    const task: PartTask = {
      ...{ kind: 'part', run: 1, drop: [], deadline: Infinity, memory: 2 ** 30, queryMemory: 2 ** 30, maxGroups: 1e6 },
      ...{ plan, snapshot, segments: [first!], elsewhere: [], slice: WHOLE, sole: true },
    };
    const all = [thread.handle(task).reply];
    while (all.at(-1)?.kind === 'paused') {
      if (all.length > MOST_PAUSES) throw new Error('it pauses for ever');
      onPause();
      all.push(thread.handle({ kind: 'resume', run: 1, drop: [] }).reply);
    }
    return all;
  }

  it('pause within a segment where others wait, and lose nothing by it', () => {
    const alone = replies(0);
    expect(alone.map(({ kind }) => kind)).to.deep.equal(['table']);
    const paused = replies(1);
    expect(paused.length).to.be.above(3);
    expect(paused.at(-1)).to.have.property('kind', 'table');
    const rows = (reply: Reply | undefined): unknown => (reply?.kind === 'table' ? reply.table.rows : reply);
    expect(rows(paused.at(-1))).to.deep.equal(rows(alone.at(-1)));
  });

  it('come to an end where the processor is so busy that any step takes longer than a slice', () => {
    let clock = performance.now();
    Object.defineProperty(performance, 'now', { value: () => (clock += 50), configurable: true });
    try {
      const paused = replies(1);
      expect(paused.length).to.be.above(3);
      expect(paused.at(-1)).to.have.property('kind', 'table');
    } finally {
      Reflect.deleteProperty(performance, 'now'); // there is that of its class again
    }
  });

  it('find a shard damaged after a pause, too', () => {
    const file = path.join(temporaryFolder(), 'prj_wide.db');
    fs.writeFileSync(file, 'no database');
    const shard = projectShard('prj_wide');
    const snapshot = { ...shard.snapshot(), file };
    shard.snapshot = () => snapshot;
    const paused = replies(1, shard, () => {
      shard.segment = () => {
        throw new Error('the bytes cannot be read');
      };
    });
    expect(paused.length).to.equal(2);
    expect(paused.at(-1)).to.have.nested.property('error.code', 'shard_damaged');
  });
});
