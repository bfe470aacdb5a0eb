import { expect } from 'chai';
import { AppError } from '../../../lib/base/errors.ts';
import type { AnswerFormat } from '../../../lib/dsl/format/answer.ts';
import { formatPage } from '../../../lib/dsl/format/page.ts';
import type { Table } from '../../../lib/dsl/plan/table.ts';
import { column } from './answers.ts';

const MIB = 1 << 20;
const FORMATS = ['llm', 'json', 'csv'] as const;

/** The same row again and again, so that the table itself takes little. */
function tableOf(rows: number, text: string): Table {
  return { columns: [column('v', 'string', 'value')], rows: new Array<string[]>(rows).fill([text]), total: rows };
}

describe('the text of a page', () => {
  const write = (format: AnswerFormat, table: Table): Uint8Array => formatPage(format, table, 'UTC').text;

  for (const format of FORMATS) {
    it(`is refused as ${format} when it gets too long, before all of it is written`, () => {
      const table = tableOf(1_000, 'x'.repeat(MIB));
      expect(() => write(format, table))
        .to.throw(AppError, 'the answer is longer than 64 MiB; ask for fewer rows')
        .with.nested.property('data.code', 'bad_query');
    });

    it(`is the same as ${format} in however many blocks it is encoded`, () => {
      const text = 'é😀'.repeat(7_000); // no multiple of a block
      const [first, ...lines] = Buffer.from(write(format, tableOf(1, text)))
        .toString()
        .split(text);
      const expected = format === 'json' ? `[${new Array(20).fill(JSON.stringify({ v: text })).join(',')}]` : null;
      const many = Buffer.from(write(format, tableOf(20, text))).toString();
      expect(many.startsWith(`${first}${text}`)).to.equal(true);
      expect(many.split(text)).to.have.lengthOf(21);
      expect(many.endsWith(lines.at(-1)!)).to.equal(true);
      if (expected !== null) expect(many).to.equal(expected);
    });
  }
});
