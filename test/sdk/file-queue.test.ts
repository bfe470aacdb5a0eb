import { appendFileSync, linkSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { fileQueue } from '../../sdk/client/file-queue.ts';
import type { Item } from '../../sdk/core/item.ts';
import type { ClientQueue } from '../../sdk/client/memory-queue.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const item = (id: string): Item => ({ id, kind: 'track', text: `{"event_type":"${id}"}` });
const idsIn = (queue: ClientQueue): string[] => queue.head(Infinity, new Set()).map(({ id }) => id);

describe('a queue in a file', () => {
  const errors: unknown[] = [];
  let file: string;
  const opened = (): ClientQueue => fileQueue(file, { onError: (error) => errors.push(error) });
  beforeEach(() => {
    file = join(temporaryFolder(), 'queue');
    errors.length = 0;
  });

  it('loses only the item whose line was cut off, not the one after it', () => {
    const queue = opened();
    queue.add(item('first'));
    appendFileSync(file, '\n+["cut","tra'); // as on a full disk
    queue.add(item('next'));
    queue.remove(new Set(['first']));
    expect(idsIn(opened())).to.deep.equal(['next']);
  });

  for (const [lines, replaced] of [
    [10_000, false],
    [10_001, true],
  ] as const) {
    it(`${replaced ? 'is replaced at once' : 'stays as it is'} at ${lines} lines, most of them obsolete`, () => {
      const queue = opened();
      linkSync(file, `${file}.before`);
      queue.add(item('waits'));
      for (let id = 2; id < lines; id++) queue.add(item(String(id)));
      queue.remove(new Set(Array.from({ length: lines }, (_, id) => String(id))));
      const before = readFileSync(`${file}.before`, 'utf8');
      expect(before.trim().split('\n')).to.have.length(lines); // what a crash in between would have left
      expect(readFileSync(file, 'utf8') === before).to.equal(!replaced);
      queue.add(item('later'));
      expect(idsIn(opened())).to.deep.equal(['waits', 'later']);
      expect(errors).to.deep.equal([]);
    });
  }

  it('is emptied when everything is sent', () => {
    const queue = opened();
    queue.add(item('first'));
    queue.remove(new Set(['first']));
    expect(readFileSync(file, 'utf8')).to.equal('');
    queue.add(item('next'));
    expect(idsIn(opened())).to.deep.equal(['next']);
  });
});
