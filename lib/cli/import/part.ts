/** A file of text, on its way to records. */
import type { SourceRecord } from './format.ts';

export interface FilePart {
  /** For people: `export.zip: 2026-01-01.json.gz`. */
  readonly name: string;
  /** Its bytes, inflated. Rejects with BrokenPart where they end too early or are damaged. */
  readonly chunks: AsyncGenerator<Buffer>;
}

/** A record, or why there is none. Lines count from 1. */
export type ReadRecord =
  { readonly line: number; readonly record: SourceRecord } | { readonly line: number; readonly problem: string };

/** A part of which nothing more can be read. What was read of it is sound. */
export class BrokenPart extends Error {
  override readonly name = 'BrokenPart';
}
