import { expect } from 'chai';
import fc from 'fast-check';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { answerTo, Bench, tell, track } from '../../support/bench.ts';
import { tries } from '../../support/campaign.ts';
import { NOW, openReader, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const HEAVY = ['rows of a seal that others wait for'];
const ROWS = 6;
const USERS = 4;

type Step =
  | { readonly op: 'track'; readonly ids: readonly number[]; readonly user: number }
  | { readonly op: 'identify'; readonly user: number; readonly device: number }
  | { readonly op: 'unbind'; readonly device: number }
  | { readonly op: 'done' | 'failed' | 'asked' | 'killed' | 'killed late' };

const user = fc.nat({ max: USERS });
const told = (...ops: ('done' | 'failed' | 'asked' | 'killed' | 'killed late')[]) =>
  fc.record({ op: fc.constantFrom(...ops) });
const steps = fc.array(
  fc.oneof(
    { weight: 60, arbitrary: fc.record({ op: fc.constant('track' as const), ids: fc.array(fc.nat({ max: 15 }), { maxLength: 5 }), user }) },
    { weight: 20, arbitrary: fc.record({ op: fc.constant('identify' as const), user, device: user }) },
    { weight: 5, arbitrary: fc.record({ op: fc.constant('unbind' as const), device: user }) },
    { weight: 10, arbitrary: told('done') },
    { weight: 5, arbitrary: told('killed', 'killed late', 'asked') },
    { weight: 1, arbitrary: told('failed') },
  ),
  { maxLength: 60, size: 'max' },
); // prettier-ignore

/** Plays steps with seals that last until a step ends them. */
class Play {
  readonly #folder = temporaryFolder();
  readonly #bench = new Bench();
  #probe = this.#start();

  take(step: Step): void {
    switch (step.op) {
      case 'track':
        return this.#acknowledged(track(this.#probe, eventsOf(step)));
      case 'identify':
        return this.#acknowledged(this.#append('identify', JSON.stringify(identifyOf(step))));
      case 'unbind':
        return this.#acknowledged(this.#append('unbind', `d${step.device}`));
      case 'asked':
        return void tell(this.#probe, { op: 'snapshot' });
      case 'done':
        if (this.#bench.tasks.length > 0) this.#bench.next(this.#probe);
        return;
      case 'failed':
        if (this.#bench.tasks.length > 0) this.#bench.fail(this.#probe);
        return;
      case 'killed late':
        if (this.#bench.tasks.length > 0) this.#bench.next(new WriterProbe(temporaryFolder())); // it reaches the file
        break;
      case 'killed':
        break;
    }
    this.#bench.tasks.length = 0;
    this.#probe = this.#start();
  }

  /** What a query sees in the end. */
  state(): unknown {
    const asked = tell(this.#probe, { op: 'snapshot' });
    while (answerTo(this.#probe, asked) === undefined) this.#bench.next(this.#probe);
    while (this.#bench.tasks.length > 0) this.#bench.next(this.#probe);
    return stateOf(this.#probe);
  }

  #start(): WriterProbe {
    return new WriterProbe(this.#folder, { sealRows: ROWS }, this.#bench);
  }

  #append(kind: 'identify' | 'unbind', body: string): number {
    const id = tell(this.#probe, {
      ...{ op: 'append', kind, project: PROJECT, encoding: 'identity', body: new Uint8Array(Buffer.from(body)) },
      context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    });
    tell(this.#probe, { op: 'device', project: { ...PROJECT, id: 'prj_nobody' }, deviceId: 'd' });
    return id;
  }

  #acknowledged(id: number): void {
    while (answerTo(this.#probe, id) === undefined) this.#bench.next(this.#probe);
    expect(answerTo(this.#probe, id)).to.deep.include({ ok: true });
  }
}

/** Plays the same steps with seals that complete at once. */
function plain(taken: readonly Step[]): unknown {
  const probe = new WriterProbe(temporaryFolder());
  for (const step of taken) {
    if (step.op === 'track') probe.track(eventsOf(step));
    else if (step.op === 'identify') probe.identify(identifyOf(step));
    else if (step.op === 'unbind') probe.append('unbind', `d${step.device}`);
  }
  return stateOf(probe);
}

function stateOf(probe: WriterProbe): unknown {
  const snapshot = probe.snapshot();
  const reader = openReader(snapshot);
  const rows = rowsOf(snapshot).sort((a, b) => a.arrival - b.arrival);
  const ids = Array.from({ length: USERS + 1 }, (_, n) => reader.ids().find(`u${n}`));
  return {
    rows: rows.map(({ arrival: _arrival, insertId, ...row }) => ({ ...row, insertId: insertId.startsWith('id-') && insertId })),
    // An id that only a repeat had may be in the dictionary.
    profiles: ids.map((id) => (id > 0 && reader.profile(snapshot, id)?.properties) || null),
    devices: Array.from({ length: USERS + 1 }, (_, n) => probe.ask({ op: 'device', project: PROJECT, deviceId: `d${n}` })),
    usage: probe.usage().at(-1)?.counts,
  };
} // prettier-ignore

const eventsOf = ({ ids, user: n }: { ids: readonly number[]; user: number }): object[] =>
  ids.map((id) => ({
    ...{ event_type: `t${id % 3}`, device_id: `d${n}`, insert_id: `id-${id}`, time: NOW + id },
    ...(id % 2 === 0 ? { user_id: `u${n}`, user_properties: { last: id } } : {}),
    event_properties: {
      text: `value ${id}`,
      [`key ${id}`]: true,
      number: id,
      url: `https://example.com/${id}?utm_source=${id % 4}`,
    },
  }));

const identifyOf = ({ user: n, device }: { user: number; device: number }) => ({
  ...{ user_id: `u${n}`, device_id: `d${device}` },
  user_property_ops: { $add: { visits: 1 }, $set: { with: `d${device}` } },
});

describe('what is taken while a seal is under way', () => {
  before(() => setThresholds('least', HEAVY));
  after(() => setThresholds('usual', HEAVY));

  it('is there once and in order, whether the seal is done, fails, or its server is killed', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const play = new Play();
        for (const step of taken) play.take(step);
        expect(play.state()).to.deep.equal(plain(taken));
      }),
      { numRuns: tries(20) },
    );
  });
});
