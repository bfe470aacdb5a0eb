/** Messages between the event loop and a writer thread. Plain data; bodies are transferred. */
import type { ErrorData } from '../base/errors.ts';
import type { ProjectRef, Tenant } from '../base/project.ts';
import type { Encoding } from '../base/inflate.ts';
import type { Parts } from '../base/parts.ts';
import type { RequestContext } from './request.ts';
import type { Snapshot } from './shard-reader.ts';
import type { EncodedSegment } from './segment/encode.ts';
import type { GroupFilter } from './segment/insert-ids/insert-filter.ts';
import type { EncodedTextRun } from './dictionary/text-runs.ts';
import type { Counts } from './file/usage-counters.ts';
import type { EventWarning } from './ingest/normalise/remarks.ts';

/** What a writer's thread begins with. */
export interface WriterOptions {
  /** The data folder. */
  readonly folder: string;
  /** The number of this writer, from 0, and the number of writers. */
  readonly partition: number;
  readonly partitions: number;
  readonly bodyLimit: number; // bytes
  readonly batchLimit: number; // events
  readonly lineLimit: number; // bytes
  /** Connections to shards that may be open at once. */
  readonly openShards: number;
  /** Memory for all dictionaries; beyond it the least recently used shards are evicted. */
  readonly dictionaryBytes: number;
  /** Most memory for one project's dictionaries; beyond it texts are looked up on disk. */
  readonly projectDictionaryBytes: number;
  /** Pending rows at which a project is sealed unasked. */
  readonly sealRows: number;
  /** Bytes of journal that a project's pending rows may hold. */
  readonly sealBytes: number;
  /** Age of the oldest pending row after which a project is sealed, milliseconds. */
  readonly sealAge: number;
  /** Bytes of journal that all pending rows may hold. */
  readonly pendingBytes: number;
  /** Bytes on disk that the journal's files may take. */
  readonly journalBytes: number;
  /** Rows of a large segment. */
  readonly segmentRows: number;
  readonly geoipFile: string | null;
  /** Its bytes, shared by threads; omitted: whoever needs them reads the file. */
  readonly geoip?: SharedArrayBuffer;
  /** Nobody serves the folder: what an earlier run left is replayed at once, and everything is sealed at the end. */
  readonly offline?: boolean;
}

/** A body as received, whole lines of a stream (already inflated), or the id of a device whose last binding is to be undone. */
export interface AppendMessage {
  readonly op: 'append';
  readonly id: number;
  readonly project: ProjectRef;
  readonly kind: 'track' | 'identify' | 'track_lines' | 'identify_lines' | 'unbind';
  readonly context: RequestContext;
  readonly encoding: Encoding;
  readonly body: Uint8Array;
  /** Of a stream of lines: may be sent before the piece before it is answered, and is refused if that was. */
  readonly piece?: StreamPiece;
}

export interface StreamPiece {
  /** The number of the stream, unique in the service. */
  readonly stream: number;
  /** From 0. */
  readonly nth: number;
}

/** An append as the event loop has it. Nobody may change its parts until it is answered. */
export type AskedAppend = Omit<AppendMessage, 'id' | 'body'> & { readonly body: Parts };

/** Appends of one turn of the event loop, in order: a single message wakes the writer once. */
export interface AppendsMessage {
  readonly op: 'appends';
  readonly appends: readonly AppendMessage[];
  /** Streams that are over. */
  readonly ended: readonly number[];
}

/** A message about a project. */
interface About<Op extends string> {
  readonly op: Op;
  readonly id: number;
  readonly project: string;
}

/** A run of a dictionary's index, made of others. */
export interface MergedTexts {
  readonly field: number;
  readonly replaced: readonly number[];
  readonly run: EncodedTextRun;
}

/** What a compaction has made: `segments` replace others, or nothing if these could not be compacted. */
export interface Compacted {
  readonly replaced: readonly number[];
  readonly segments: readonly EncodedSegment[];
  /** Whether the new segments are full of text, if not of rows. */
  readonly heavy: boolean;
  /** The segments could not be read, or did not fit into memory, and are left alone for a while. */
  readonly failed: boolean;
  readonly texts: MergedTexts | null;
  readonly idGroup: GroupFilter | null;
}

export interface CompactedMessage extends About<'compacted'>, Compacted {
  /** Of the compacted snapshot: results from before an erasure are not used. */
  readonly incarnation: number;
}

/** Replaces the file of a shard. */
export interface ReplaceMessage extends About<'replace'> {
  /** The complete file, on the same file system. */
  readonly staged: string;
  /** Where the previous file is moved. */
  readonly aside: string;
  /** Also replace a shard that has newer data than the file, or cannot be read. */
  readonly force: boolean;
}

/** A question of a user, who may ask it in a loop: it takes turns with the requests of others. */
export interface Lookup<Op extends string> {
  readonly op: Op;
  readonly id: number;
  readonly project: Tenant;
}

export type WriterMessage =
  | AppendMessage
  | CompactedMessage
  /** Seals what is pending for the project and answers with what a query may read. */
  | About<'snapshot'>
  /** Queries no longer read these retired segments. */
  | (About<'purge'> & { readonly segments: readonly number[] })
  | Lookup<'catalog'>
  /** The number of events and the times of the first and last; null if there are none. */
  | About<'extent'>
  /** The bindings of a device; null if it has none. */
  | (Lookup<'device'> & { readonly deviceId: string })
  /** Seals everything and closes the file; messages for the project wait until `thaw`. Answers a Snapshot. */
  | About<'freeze'>
  /** Resumes the project, whose file may be a new one; removes its journal records, which are all sealed. */
  | About<'thaw'>
  | About<'drop'>
  | ReplaceMessage
  | { readonly op: 'retain'; readonly id: number; readonly project: ProjectRef; readonly now: number }
  | { readonly op: 'close'; readonly id: number };

export interface AppendAnswer {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly { readonly index: number; readonly error: string }[];
  readonly warnings: readonly EventWarning[];
  /** Identify only: properties of $add whose value is not a number. */
  readonly ignored: readonly string[];
  readonly lines: number;
}

/** To whom a device is bound, and how that came about. Times are milliseconds since the epoch. */
export interface DeviceBindings {
  /** null: nobody. */
  readonly userId: string | null;
  /** When the current binding was made. */
  readonly boundAt: number | null;
  /** Oldest first, the newest of many. `userId`: to whom the device is bound from then on. */
  readonly history: readonly {
    readonly at: number;
    readonly action: 'bind' | 'undo';
    readonly userId: string | null;
  }[];
}

/** Segments to be compacted into larger ones in order of time. */
export interface CompactionTask {
  readonly project: string;
  readonly snapshot: Snapshot;
  /** In order of arrival. */
  readonly segments: readonly number[];
  /** Insert ids that arrived after this must be known; Infinity if there are none. */
  readonly idsSince: number;
  /** Runs of a dictionary's index to be merged. */
  readonly texts: { readonly field: number; readonly runs: readonly number[] } | null;
  /** Segments whose insert ids get one filter. */
  readonly idGroup: readonly number[] | null;
}

export type WriterReply =
  | { readonly op: 'done'; readonly answers: readonly WriterAnswer[] }
  /** `unsealed`: the projects of which the journal, or memory, has something that their files lack. */
  | { readonly op: 'ready'; readonly error: ErrorData | null; readonly unsealed: readonly string[] }
  /** The segments of a project changed, not on request: by a compaction or by retention. */
  | { readonly op: 'changed'; readonly snapshot: Snapshot; readonly retired: readonly number[] }
  | { readonly op: 'compact'; readonly task: CompactionTask }
  /** A project could not be sealed, or its records replayed; nothing is lost, and it is retried (at the next start). */
  | { readonly op: 'trouble'; readonly what: 'seal' | 'replay'; readonly project: string; readonly error: ErrorData }
  /** Readers must close a project's file: as long as one has it open, nobody can open it for writing. */
  | { readonly op: 'let_go'; readonly project: string }
  | { readonly op: 'usage'; readonly days: readonly UsageDay[] }
  | { readonly op: 'stats'; readonly stats: WriterStats };

/** The answer to one message: its value, or an error. */
export type WriterAnswer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ErrorData | { readonly bug: string } };

export interface UsageDay {
  readonly project: string;
  readonly date: string;
  readonly counts: Counts;
  readonly bytes: number;
  /** Whether the counts are to be added to what was reported of the day, without `bytes`; omitted: they are all of it. */
  readonly isMore?: boolean;
}

export interface WriterStats {
  readonly openShards: number;
  readonly journalBytes: number;
  readonly pendingRows: number;
  /** Age of the oldest pending row; 0 if there is none. */
  readonly pendingSeconds: number;
  /** Memory used by dictionaries. */
  readonly dictionaryBytes: number;
  readonly seals: number;
  readonly sealSeconds: number;
  readonly compactions: number;
}
