/** What the event loop and a writer thread tell each other. Plain data; bodies are transferred, not copied. */
import type { ErrorData } from '../base/errors.ts';
import type { ProjectRef, Tenant } from '../base/project.ts';
import type { Encoding } from '../base/inflate.ts';
import type { RequestContext } from './request.ts';
import type { Snapshot } from './shard-reader.ts';
import type { EncodedSegment } from './segment/encode.ts';
import type { EncodedTextRun } from './dictionary/text-runs.ts';
import type { Counts } from './file/usage-counters.ts';

export interface WriterOptions {
  /** The data folder. */
  readonly folder: string;
  /** Which of the writers this is, from 0, and how many there are. */
  readonly partition: number;
  readonly partitions: number;
  readonly bodyLimit: number; // bytes
  readonly batchLimit: number; // events
  readonly lineLimit: number; // bytes
  /** Open connections to shards at once. */
  readonly openShards: number;
  /** Memory of all dictionaries: beyond it the least recently used shards are forgotten. */
  readonly dictionaryBytes: number;
  /** Memory of one project's dictionaries, at most; beyond it texts are looked up on disk. */
  readonly projectDictionaryBytes: number;
  /** Pending rows of a project that are sealed without being asked. */
  readonly sealRows: number;
  /** Bytes of journal that a project's pending rows may hold. */
  readonly sealBytes: number;
  /** Age of the oldest pending row after which a project is sealed, milliseconds. */
  readonly sealAge: number;
  /** Bytes of journal that all pending rows may hold. */
  readonly pendingBytes: number;
  /** Bytes on disk that files of the journal may hold. */
  readonly journalBytes: number;
  /** Rows of a large segment. */
  readonly segmentRows: number;
  readonly geoipFile: string | null;
  /** Nobody serves the folder: what an earlier run left is taken up at once, and at the end everything is sealed. */
  readonly offline?: boolean;
}

/** A body as it came, whole lines of a stream (already inflated), or the id of a device whose last binding is undone. */
export interface AppendMessage {
  readonly op: 'append';
  readonly id: number;
  readonly project: ProjectRef;
  readonly kind: 'track' | 'identify' | 'track_lines' | 'identify_lines' | 'unbind';
  readonly context: RequestContext;
  readonly encoding: Encoding;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** Appends of one turn of the event loop, in order: one message for all wakes the writer once. Small bodies share a buffer. */
export interface AppendsMessage {
  readonly op: 'appends';
  readonly appends: readonly AppendMessage[];
}

/** A compaction of segments, done elsewhere: they are replaced by others, or by none when they could not be compacted. */
export interface CompactedMessage {
  readonly op: 'compacted';
  readonly id: number;
  readonly project: string;
  /** Of the snapshot that was compacted: what came of a shard before an erasure is not used. */
  readonly incarnation: number;
  readonly replaced: readonly number[];
  /** The segments could not be read: they are left alone for a while. */
  readonly failed?: true;
  readonly segments: readonly EncodedSegment[];
  /** The new ones are full of text, if not of rows. */
  readonly heavy: boolean;
}

/** Another file takes the place of a shard. */
export interface ReplaceMessage {
  readonly op: 'replace';
  readonly id: number;
  readonly project: string;
  /** The file, whole, on the same file system. */
  readonly staged: string;
  /** Where the file of before is moved to. */
  readonly aside: string;
  /** Also where the shard has more than the file knows of, or cannot be read. */
  readonly force: boolean;
}

export interface MergedTextsMessage {
  readonly op: 'merged_texts';
  readonly id: number;
  readonly project: string;
  readonly incarnation: number;
  readonly field: number;
  readonly replaced: readonly number[];
  readonly run: EncodedTextRun;
}

/** What an earlier run left of a project is taken up further. The writer's own. */
export interface TakeUpMessage {
  readonly op: 'take_up';
  readonly id: 0;
  readonly project: Tenant;
}

export type WriterMessage =
  | AppendMessage
  | TakeUpMessage
  | MergedTextsMessage
  | CompactedMessage
  /** Seals what waits for the project and tells what a query may read. */
  | { readonly op: 'snapshot'; readonly id: number; readonly project: string }
  /** Queries do not read these retired segments any more. */
  | { readonly op: 'purge'; readonly id: number; readonly project: string; readonly segments: readonly number[] }
  | { readonly op: 'catalog'; readonly id: number; readonly project: string }
  /** How much there is, and from when to when; null when there is nothing. */
  | { readonly op: 'extent'; readonly id: number; readonly project: string }
  /** The bindings of a device, null when it has none. */
  | { readonly op: 'device'; readonly id: number; readonly project: string; readonly deviceId: string }
  /** Seals everything and lets go of the file; whatever comes for the project is held back until `thaw`. Answers a Snapshot. */
  | { readonly op: 'freeze'; readonly id: number; readonly project: string }
  /** The file may be another now; its journal records go, since all were sealed. */
  | { readonly op: 'thaw'; readonly id: number; readonly project: string }
  | { readonly op: 'drop'; readonly id: number; readonly project: string }
  | ReplaceMessage
  | { readonly op: 'retain'; readonly id: number; readonly project: ProjectRef; readonly now: number }
  | { readonly op: 'close'; readonly id: number };

export interface AppendAnswer {
  readonly accepted: number;
  readonly rejected: number;
  readonly errors: readonly { readonly index: number; readonly error: string }[];
  readonly ignored: readonly string[];
  readonly lines: number;
}

/** Who a device is bound to, and how that came. Times are milliseconds since the epoch. */
export interface DeviceBindings {
  /** null: nobody. */
  readonly userId: string | null;
  /** When the binding that holds was made. */
  readonly boundAt: number | null;
  /** Oldest first, the newest of many. `userId`: who the device is bound to from then on. */
  readonly history: readonly {
    readonly at: number;
    readonly action: 'bind' | 'undo';
    readonly userId: string | null;
  }[];
}

/** Segments that should be compacted into larger ones in order of time. */
export interface CompactionTask {
  readonly project: string;
  readonly snapshot: Snapshot;
  /** In order of arrival. */
  readonly segments: readonly number[];
  /** Insert ids that arrived after this are known; Infinity: none is. */
  readonly idsSince: number;
  /** Runs of a dictionary's index. */
  readonly texts: { readonly field: number; readonly runs: readonly number[] } | null;
}

export type WriterReply =
  | { readonly op: 'done'; readonly answers: readonly Answer[] }
  | { readonly op: 'ready'; readonly error: ErrorData | null }
  /** The segments of a project changed without being asked: by a seal or a compaction. */
  | { readonly op: 'changed'; readonly snapshot: Snapshot; readonly retired: readonly number[] }
  | { readonly op: 'compact'; readonly task: CompactionTask }
  /** A project could not be sealed, or taken up from the journal; nothing is lost, it is tried again (at the next start). */
  | { readonly op: 'trouble'; readonly what: 'seal' | 'take_up'; readonly error: ErrorData }
  | { readonly op: 'usage'; readonly days: readonly UsageDay[] }
  | { readonly op: 'stats'; readonly stats: WriterStats };

/** The answer to one message: its value, or what went wrong. */
export type Answer =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly error: ErrorData | { readonly bug: string } };

export interface UsageDay {
  readonly project: string;
  readonly date: string;
  readonly counts: Counts;
  readonly bytes: number;
}

export interface WriterStats {
  readonly openShards: number;
  readonly journalBytes: number;
  readonly pendingRows: number;
  /** Since the oldest of them was taken; 0: there is none. */
  readonly pendingSeconds: number;
  /** Memory of dictionaries. */
  readonly dictionaryBytes: number;
  readonly seals: number;
  readonly sealSeconds: number;
  readonly compactions: number;
}
