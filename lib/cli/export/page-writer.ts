/** Pages of an export as the bytes of a file. */
import { gzipSync } from 'node:zlib';
import { UsageError } from '../command.ts';
import type { ExportPage } from './export-pages.ts';

export interface PageWriter {
  /** The bytes that a page adds. */
  add(page: ExportPage): Buffer;
  /** What ends the file. */
  end(): Buffer;
}

export interface FileFormat {
  /** As GET /export knows it. */
  readonly asked: string;
  /** Of names of files. */
  readonly ending: string;
  /** Whether a file of it can be gone on with later. */
  readonly goesOn: boolean;
  readonly writer: () => PageWriter;
}

const NOTHING = Buffer.alloc(0);

/** Throws UsageError. */
export async function fileFormat(name: string, gzip: boolean): Promise<FileFormat> {
  if (name === 'parquet') {
    if (gzip) throw new UsageError('--gzip is not for parquet, which is compressed inside');
    const { ParquetFile } = await import('./parquet-file.ts');
    return { asked: 'rows', ending: 'parquet', goesOn: false, writer: () => new ParquetFile() };
  }
  // A gzip file may have several members, so each page is one.
  const add = ({ body }: ExportPage): Buffer => (gzip && body.length > 0 ? gzipSync(body) : body);
  const ending = gzip ? `${name}.gz` : name;
  return { asked: name, ending, goesOn: true, writer: () => ({ add, end: () => NOTHING }) };
}
