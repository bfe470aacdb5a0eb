/** Rows as a Parquet file, a row group a page: no more than that is held. */
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import { asRecord } from '../client/client-command.ts';
import { readJson } from '../../base/text/read-json.ts';
import type { ExportColumn, ExportPage } from './export-pages.ts';

export class ParquetFile {
  readonly #bytes = new ByteWriter();
  #writer: ParquetWriter | null = null;

  /** The bytes of the file that follow those given so far. */
  add({ columns, body }: Pick<ExportPage, 'columns' | 'body'>): Buffer {
    this.#writer ??= new ParquetWriter({ writer: this.#bytes, schema: schemaOf(columns), createdBy: 'windlass' });
    const rows = body
      .toString('utf8')
      .split('\n')
      .flatMap((line) => (line === '' ? [] : [asRecord(readJson(line))]));
    const columnData = columns.map(({ name, type }) => {
      const data = rows.map((row) => cellOf(row[name] ?? null, type));
      return { name, data };
    });
    if (rows.length > 0) void this.#writer.write({ columnData, rowGroupSize: rows.length }); // it flushes nothing, so nothing is awaited
    return this.#taken();
  }

  /** What ends the file. */
  end(): Buffer {
    void this.#writer?.finish();
    return this.#taken();
  }

  #taken(): Buffer {
    const taken = Buffer.from(this.#bytes.getBuffer());
    this.#bytes.index = 0;
    return taken;
  }
}

/** Times are timestamps in UTC, objects are JSON, everything else is text. */
const TYPES: Readonly<Record<string, Pick<SchemaElement, 'type' | 'converted_type'>>> = {
  time: { type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' },
  json: { type: 'BYTE_ARRAY', converted_type: 'JSON' },
};
const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

function schemaOf(columns: readonly ExportColumn[]): SchemaElement[] {
  return [
    { name: 'root', num_children: columns.length },
    ...columns.map(({ name, type }): SchemaElement => ({
      name,
      repetition_type: 'OPTIONAL',
      ...(TYPES[type] ?? TEXT),
    })),
  ];
}

function cellOf(value: unknown, type: string): unknown {
  return type === 'time' && typeof value === 'string' ? new Date(value) : value;
}
