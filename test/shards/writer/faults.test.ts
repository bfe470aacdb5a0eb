/**
 * A writer under random requests, in whatever order its thread, its store thread and its disk go on, with a disk that fails now and
 * then, and kills: at the end, and after one more kill, each acknowledged event is there once, and no refused one.
 */
import fs from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { expect } from 'chai';
import { monotonic } from '../../../lib/base/monotonic.ts';
import { setThresholds } from '../../../lib/base/threshold.ts';
import { JournalFolder } from '../../../lib/shards/journal/folder.ts';
import type { WriterMessage } from '../../../lib/shards/writer-messages.ts';
import { Bench } from '../../support/bench.ts';
import { tries } from '../../support/campaign.ts';
import { compacted } from '../../support/compacted.ts';
import { NOW, PROJECT, rowsOf, WriterProbe } from '../../support/shard-rows.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PROJECTS = ['prj_a', 'prj_b', 'prj_c', 'prj_d'];
const STEPS = 300;
/** Each is set to its least in half of the runs. */
const THRESHOLDS = ['milliseconds of a slice', 'loaded shards', 'rows of a seal that others wait for', 'bytes of a growing journal', 'segments of a compaction']; // prettier-ignore

interface Sent {
  readonly project: string;
  /** What the events hold, and their insert ids. */
  readonly events: readonly { readonly n: number; readonly id: string | null }[];
  /** `maybe`: killed before it was answered. */
  state: 'open' | 'stored' | 'refused' | 'maybe';
}

/** Numbers from 0 to 1 that a seed determines (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** The user and the property of an event, as they are stored. */
const textsOf = (n: number): string[] => [`u${n % 40}`, `string t${n % 60}`];

const { openSync, fdatasync, fdatasyncSync, fsyncSync, writevSync } = fs;

class World {
  readonly random: () => number;
  readonly sent = new Map<number, Sent>();
  readonly #options: object;
  readonly #ids: string[] = [];
  /** Syncs that the disk has not finished. */
  #syncs: ((error: Error | null) => void)[] = [];
  readonly #journals = new Set<number>();
  #fails = true;
  #folder = temporaryFolder();
  #probe!: WriterProbe;
  #store!: Bench;
  #next = 1;
  #n = 0;

  constructor(seed: number) {
    this.random = randomOf(seed);
    setThresholds('usual');
    const small = THRESHOLDS.filter(() => this.chance(0.5));
    if (small.length > 0) setThresholds('least', small);
    this.#options = {
      sealRows: this.pick([3, 20, 1e6]),
      sealBytes: this.pick([2_000, 64 << 20]),
      pendingBytes: this.pick([5_000, 256 << 20]),
      journalBytes: this.pick([40_000, 256 << 20]),
      dictionaryBytes: this.pick([200 << 10, 64 << 20]),
      openShards: this.pick([2, 4]),
    };
    this.#spoilDisk();
    this.#start();
  }

  chance = (p: number): boolean => this.random() < p;
  pick = <T>(from: readonly T[]): T => from[Math.floor(this.random() * from.length)]!;

  async run(): Promise<void> {
    for (let step = 0; step < STEPS; step++) {
      this.#step();
      this.#hear();
      if (this.chance(0.1)) await turn();
    }
    this.#fails = false;
    this.#probe.more = false;
    this.#expectAll('at the end');
    this.#kill();
    this.#probe.more = false;
    this.#expectAll('after another kill');
  }

  #step(): void {
    const at = this.random();
    if (at < 0.5) this.#track();
    else if (at < 0.65) this.#syncs.shift()?.(this.#fails && this.chance(0.12) ? diskError('EIO') : null);
    else if (at < 0.78) this.#process(this.chance(0.5) ? 1 : 20);
    else if (at < 0.88) this.#doTask();
    else if (at < 0.91)
      this.#push({ op: this.pick(['snapshot', 'catalog', 'extent'] as const), project: this.pick(PROJECTS) });
    else if (at < 0.93) this.#probe.more = !this.#probe.more;
    else if (at < 0.965) this.#probe.tick(monotonic() + (this.chance(0.3) ? 700_000 : 0));
    else if (at < 0.975) this.#probe.writer.loading.replayNext();
    else if (at < 0.985) for (const task of this.#probe.takeCompactions()) this.#push(compacted(task));
    else this.#kill();
  }

  #track(): void {
    const project = this.pick(PROJECTS);
    const events = Array.from({ length: this.pick([1, 1, 2, 5, 40]) }, () => {
      const n = this.#n++;
      if (this.chance(0.4)) return { n, id: null };
      const id = this.#ids.length > 0 && this.chance(0.3) ? this.pick(this.#ids) : `id-${n}`;
      this.#ids.push(id);
      return { n, id };
    });
    const written = events.map(({ n, id }) => ({
      ...{ event_type: `e${n % 7}`, user_id: `u${n % 40}`, event_properties: { n, text: `t${n % 60}` } },
      ...(id !== null && { insert_id: id }),
    }));
    const id = this.#push({
      ...{ op: 'append', kind: 'track', project: { ...PROJECT, id: project }, encoding: 'identity' },
      body: new Uint8Array(Buffer.from(JSON.stringify({ events: written }))),
      context: { receivedAt: NOW, keyKind: 'trusted', ip: null, userAgent: null, place: null },
    });
    this.sent.set(id, { project, events, state: 'open' });
    if (this.chance(0.5)) this.#process(1);
  }

  #push(message: object): number {
    const id = this.#next++;
    this.#probe.writer.deliver({ ...message, id } as WriterMessage);
    return id;
  }

  #process(most: number): void {
    this.#probe.turns(most);
  }

  #doTask(): void {
    if (this.#store.tasks.length === 0) return;
    if (!this.#fails || this.chance(0.85)) this.#store.next(this.#probe);
    else if (this.chance(0.5)) this.#store.fail(this.#probe);
    else this.#store.failOnceDone(this.#probe);
  }

  #hear(): void {
    for (const { id, ok } of this.#probe.replies.flatMap((reply) => (reply.op === 'done' ? reply.answers : []))) {
      const sent = this.sent.get(id);
      if (sent?.state === 'open') sent.state = ok ? 'stored' : 'refused';
    }
  }

  #kill(): void {
    for (const sent of this.sent.values()) if (sent.state === 'open') sent.state = 'maybe';
    const copy = temporaryFolder();
    fs.cpSync(this.#folder, copy, { recursive: true });
    this.#folder = copy;
    this.#start();
  }

  #start(): void {
    this.#syncs = [];
    new JournalFolder(this.#folder, 1).prepare();
    this.#store = new Bench();
    this.#probe = new WriterProbe(this.#folder, this.#options, this.#store);
    this.#probe.stepwise = true;
    this.#probe.more = this.chance(0.5);
  }

  /** Lets everything end. */
  #drain(until: () => boolean): void {
    for (let left = 3_000; left > 0 && !until(); left--) {
      this.#syncs.shift()?.(null);
      this.#process(30);
      this.#doTask();
      this.#hear();
    }
  }

  #expectAll(when: string): void {
    this.#drain(() => this.#syncs.length + this.#store.tasks.length === 0 && !this.#probe.writer.isReady);
    for (const project of PROJECTS) {
      const rows = rowsOf(this.#snapshot(project));
      const ids = rows.map(({ insertId }) => insertId).filter((id) => id.startsWith('id-'));
      const numbers = rows.map(({ properties }) => properties['n']);
      for (const { user, properties } of rows)
        expect([user, properties['text']], when).to.deep.equal(textsOf(Number(properties['n'])));
      for (const values of [ids, numbers, rows.map(({ arrival }) => arrival)])
        expect(new Set<unknown>(values).size, `${when}: ${project} has each once`).to.equal(values.length);
      const has = (event: Sent['events'][number]): boolean => numbers.includes(event.n);
      for (const { project: own, events, state } of this.sent.values()) {
        if (own !== project) continue;
        expect(state, `${when}: an answer`).to.not.equal('open');
        if (state === 'stored')
          for (const event of events)
            expect(event.id === null ? has(event) : ids.includes(event.id), `${when}: ${project} lost ${event.n}`).to.equal(true); // prettier-ignore
        if (state === 'refused')
          for (const event of events) expect(has(event), `${when}: ${project} has ${event.n}`).to.equal(false);
      }
    }
  }

  #snapshot(project: string): Parameters<typeof rowsOf>[0] {
    const id = this.#push({ op: 'snapshot', project });
    const answer = () => this.#probe.replies.flatMap((reply) => (reply.op === 'done' ? reply.answers : [])).find((one) => one.id === id); // prettier-ignore
    this.#drain(() => answer() !== undefined);
    const found = answer();
    if (found?.ok !== true) throw new Error(`no snapshot of ${project}: ${JSON.stringify(found)}`);
    return (found.value as { snapshot: Parameters<typeof rowsOf>[0] }).snapshot;
  }

  #spoilDisk(): void {
    Object.assign(fs, {
      openSync: (...args: Parameters<typeof openSync>) => {
        const fd = openSync(...args);
        const isJournal = /journal\/(?:w|spare)/.test(String(args[0])) && args[1] !== 'r';
        if (isJournal) this.#journals.add(fd);
        else this.#journals.delete(fd);
        return fd;
      },
      fdatasync: (_fd: number, done: (error: Error | null) => void) => void this.#syncs.push(done),
      fdatasyncSync: (fd: number) => {
        if (this.#fails && this.#journals.has(fd) && this.chance(0.03)) throw diskError('EIO');
      },
      fsyncSync: () => undefined,
      writevSync: (fd: number, pieces: Uint8Array[], at: number) => {
        if (!this.#fails || !this.#journals.has(fd) || !this.chance(0.02)) return writevSync(fd, pieces, at);
        writevSync(fd, [Buffer.concat(pieces).subarray(0, 10)], at);
        throw diskError('ENOSPC');
      },
    });
  }
}

const diskError = (code: string): Error => Object.assign(new Error(`${code}, made`), { code });

describe('a writer with faults everywhere', () => {
  afterEach(() => {
    Object.assign(fs, { openSync, fdatasync, fdatasyncSync, fsyncSync, writevSync });
    setThresholds('usual');
  });

  for (let seed = 1; seed <= tries(12); seed++)
    it(`keeps what it acknowledged, once, and nothing else (${seed})`, () => new World(seed).run());
});
