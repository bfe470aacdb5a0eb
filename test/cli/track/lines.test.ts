import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import { LineSplitter } from '../../../lib/cli/track/lines.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('LineSplitter', () => {
  it('keeps nothing of chunks that end with their line, as those of a running program do', () => {
    const splitter = new LineSplitter();
    const chunk = Buffer.from('{"event_type":"e"}\n');
    const held = (): number => {
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    let lines = 0;
    const before = held();
    for (let i = 0; i < 200_000; i += 1) for (const line of splitter.push(chunk)) lines = line.number;
    expect(held() - before).to.be.below(5 << 20); // each would take a hundred bytes
    expect(lines).to.equal(200_000);
    expect([...splitter.push(Buffer.from('{"a')), ...splitter.push(Buffer.from('":1}\n'))]).to.have.lengthOf(1);
  });
});
