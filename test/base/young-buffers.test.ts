import { once } from 'node:events';
import { constants, PerformanceObserver } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { expect } from 'chai';
import { buffersPassed, freeColumns } from '../../lib/base/young-buffers.ts';

const MIB = 1 << 20;

describe('buffers of bodies', () => {
  it('have young objects collected every 2 MiB, so that the whole heap is not for their sake', async () => {
    const kinds: unknown[] = [];
    // When V8 is about to end a collection of the whole heap, that is made instead, and it has the young objects too.
    const young: unknown[] = [constants.NODE_PERFORMANCE_GC_MINOR, constants.NODE_PERFORMANCE_GC_MAJOR];
    const collections = (): number => kinds.filter((kind) => young.includes(kind)).length;
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) kinds.push(Reflect.get(Object(Reflect.get(entry, 'detail')), 'kind'));
    });
    observer.observe({ entryTypes: ['gc'] });
    try {
      // Once more than is expected: the first may be passed over while a thread of another test changes the flags.
      for (let n = 0; n < 40; n++) buffersPassed(new Uint8Array(MIB / 4).length);
      for (let turn = 0; turn < 500 && collections() < 4; turn++) await new Promise((next) => setTimeout(next, 1)); // reported late
    } finally {
      observer.disconnect();
    }
    expect(collections()).to.be.at.least(4);
  });

  it('are freed after tasks of many rows, also those that lived through collections of young objects', async () => {
    const turn = (): Promise<void> => new Promise((next) => setImmediate(next)); // before it ends, nothing referred to is freed
    const columns = Array.from({ length: 8 }, () => new Uint8Array(MIB));
    const references = columns.map((column) => new WeakRef(column));
    const left = (): number => references.filter((reference) => reference.deref() !== undefined).length;
    for (let n = 0; n < 4; n++) {
      buffersPassed(2 * MIB);
      await turn();
    }
    expect(left()).to.equal(8);
    columns.length = 0;
    await turn();
    freeColumns(131_072);
    freeColumns(131_071);
    expect(left()).to.equal(8);
    await turn();
    freeColumns(1);
    expect(left()).to.equal(0);
  });

  it('pass while another thread changes the flags of the process', async () => {
    const stop = new Int32Array(new SharedArrayBuffer(4));
    const hiding = `const { workerData } = require('node:worker_threads');
      while (Atomics.load(workerData, 0) === 0) require('node:v8').setFlagsFromString('--no-expose-gc');`;
    const worker = new Worker(hiding, { eval: true, workerData: stop });
    try {
      await once(worker, 'online');
      for (let thread = 0; thread < 15; thread++) {
        const file = new URL(`../../lib/base/young-buffers.js?${thread}`, import.meta.url).href;
        const own: { readonly buffersPassed: typeof buffersPassed } = await import(file);
        own.buffersPassed(2 * MIB);
      }
    } finally {
      Atomics.store(stop, 0, 1);
      await once(worker, 'exit');
    }
  });
});
