import { expect } from 'chai';
import { insertTextRun, encodeTextRun } from '../../../lib/shards/dictionary/text-runs.ts';
import { openForWriting, shardPath, type Connection } from '../../../lib/shards/file/shard-file.ts';
import { ShardImages } from '../../../lib/shards/file/shard-image.ts';
import { hasTable, smallTable } from '../../../lib/shards/file/small-tables.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const NAMES = ['meta', 'segments', 'fields', 'usage', 'rare'] as const;

describe('the small tables of a shard', () => {
  let file: string;
  beforeEach(() => {
    file = shardPath(temporaryFolder(), 'prj_tables');
  });

  const all = (connection: Connection): unknown => NAMES.map((name) => smallTable(connection, name));
  /** What the file holds, read from it and from its image. */
  const bothWays = (fill: (connection: Connection) => void): [opened: unknown, image: unknown] => {
    const connection = openForWriting(file);
    fill(connection);
    const opened = all(connection);
    connection.close();
    const images = new ShardImages();
    const image = all(images.get(file)!);
    images.closeAll();
    return [opened, image];
  };

  it('are the same in an image, in order of number or text', () => {
    const [opened, image] = bothWays((connection) => {
      connection.exec(`
        INSERT INTO meta VALUES ('next_arrival', 12), ('incarnation', 4294967295), ('id_secret_1', 0);
        INSERT INTO fields VALUES (110, 'p:a'), (9, 'p:z'), (20, 'p:m');
        INSERT INTO segments VALUES (10, 5, 1.5, 9e12, '', 0, 1, 7, NULL, NULL, 0), (9, 4, -1, 3, '', 1, 0, 7, 1.25, 9e12, 1);
        INSERT INTO usage VALUES ('2026-02-01', 1, 2, 3, 4, 5, 6, 7, 15, 16), ('2025-12-31', 8, 9, 10, 11, 12, 13, 14, 17, 18)`);
    });
    expect(opened).to.deep.equal([
      [['id_secret_1', 0], ['incarnation', 4294967295], ['next_arrival', 12]], // prettier-ignore
      [[9, 4, -1, 3, 1, 0, 1.25, 9e12, 1], [10, 5, 1.5, 9e12, 0, 1, null, null, 0]], // prettier-ignore
      [[9, 'p:z'], [20, 'p:m'], [110, 'p:a']], // prettier-ignore
      [['2025-12-31', 8, 9, 10, 11, 12, 13, 14, 17, 18], ['2026-02-01', 1, 2, 3, 4, 5, 6, 7, 15, 16]], // prettier-ignore
      [],
    ]);
    expect(image).to.deep.equal(opened);
  });

  it('are those of now in an open file, and tell of tables that came later', () => {
    const connection = openForWriting(file);
    expect([hasTable(connection, 'text_runs'), all(connection)]).to.deep.equal([false, [[], [], [], [], []]]);
    const nothing = { a: new Uint32Array(), b: new Uint32Array(), c: new Uint16Array(), codes: new Uint32Array() };
    insertTextRun(connection, 1, encodeTextRun(nothing, 0));
    connection.exec("INSERT INTO fields VALUES (1, 'p:late')");
    expect([hasTable(connection, 'text_runs'), hasTable(connection, 'insert_runs')]).to.deep.equal([true, false]);
    expect(smallTable(connection, 'fields')).to.deep.equal([[1, 'p:late']]);
    connection.close();
    const images = new ShardImages();
    expect(hasTable(images.get(file)!, 'text_runs')).to.equal(true);
    images.closeAll();
  });
});
