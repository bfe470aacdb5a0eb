import { expect } from 'chai';
import { all, any, name, print, sql, text, texts, whole } from '../../../lib/clickhouse/sql/statement.ts';

describe('a statement in pieces', () => {
  it('binds a value once, however often it occurs, and never writes it', () => {
    const statement = sql`SELECT ${text("it's")}, ${texts(["it's"])}, ${text("it's")} WHERE ${any([all([]), sql`1`])}`;
    expect(print(statement)).to.deep.equal({
      sql: 'SELECT {p1:String}, {p2:Array(String)}, {p1:String} WHERE (1 OR 1)',
      params: { p1: "it's", p2: ["it's"] },
    });
  });

  it('writes out only whole numbers, and names that the program could have made', () => {
    expect(print(sql`${whole(-5)} ${name('g0')}`).sql).to.equal('-5 g0');
    expect(() => whole(1.5)).to.throw('not a whole number');
    for (const hostile of ['a b', 'a"', "a'", 'a;', '']) expect(() => name(hostile), hostile).to.throw('not a name');
  });
});
