import { expect } from 'chai';
import type { World } from '../../oracle/world.ts';
import { compile } from '../../support/compile.ts';
import { PartsSubject } from '../../support/parts-subject.ts';

const NOW = Date.parse('2026-03-30T12:00:00.000Z');

describe('distinct numbers of sessions, of parts that share no day', () => {
  it('are joined, though each part has a dictionary of its own that the others cannot read', async () => {
    const world: World = ['2026-03-29T12:00:00.000Z', '2026-03-30T11:00:00.000Z'].map((time) => ({
      at: NOW - 1_000,
      track: [{ event_type: 'a', time, session_id: 's1', event_properties: {} }],
    }));
    const subject = new PartsSubject();
    subject.cutting = { turns: [][Symbol.iterator](), sealRows: 1, segmentRows: 4 };
    await subject.load(world);
    subject.parts = 2;
    const query = '* | last 2d | unique user_last_session.event_count by day';
    const { rows } = await subject.query(compile(query, { now: NOW, timezone: null, limit: 200, offset: 0 }, world));
    expect(rows).to.deep.equal([
      ['2026-03-28', 0],
      ['2026-03-29', 0],
      ['2026-03-30', 0],
    ]);
    subject.close();
  });
});
