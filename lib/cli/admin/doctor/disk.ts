/** The disk of the data folder: space, speed, and whether it keeps what it confirms. */
import fs from 'node:fs';
import path from 'node:path';
import { codeOfDisk } from '../../../base/errors.ts';

/** Less space than this soon fails: a compaction or an erasure rewrites a shard. Bytes, and a share of the disk. */
const LEAST_FREE = 2 * 2 ** 30;
const LEAST_PART = 0.05;

const SYNCS = 48;
const SYNCED_BYTES = 4_096;
const STREAMED_BYTES = 32 * 2 ** 20;

/** No disk or controller with a battery writes 4 KiB faster: whoever reports that has not written. Microseconds. */
const IMPOSSIBLE = 8;
/** Every acknowledgment waits for one sync. Microseconds. */
const SLOW = 20_000;
/** Bytes per second. */
const LEAST_SPEED = 20e6;

/** In-memory file systems, by `statfs` type: tmpfs, ramfs. */
const IN_MEMORY: ReadonlySet<number> = new Set([0x01021994, 0x858458f6]);
/** Network file systems, on which SQLite's locks may fail: NFS, CIFS, SMB. */
const REMOTE: ReadonlySet<number> = new Set([0x6969, 0xff534d42, 0xfe534d42, 0x517b]);

/** Others that are frequent, by `statfs` type. */
const NAMES: ReadonlyMap<number, string> = new Map([
  ...([
    [0xef53, 'ext4'],
    [0x58465342, 'XFS'],
    [0x9123683e, 'Btrfs'],
    [0x2fc12fc1, 'ZFS'],
    [0x794c7630, 'overlay'],
  ] as const),
]);

/** A clock this far from the disk's belongs to another machine. Milliseconds. */
const SKEW = 5_000;

export function roomOf(data: string): DoctorFinding {
  const { bavail, blocks, bsize } = fs.statfsSync(data);
  const free = bavail * bsize;
  const found = `${gib(free)} free of ${gib(blocks * bsize)}`;
  const short = free < LEAST_FREE || bavail / blocks < LEAST_PART;
  return {
    check: 'free space',
    found,
    mend: short ? 'free some space before the disk is full: requests then fail with 503' : null,
  };
}

export function kindOf(data: string): DoctorFinding {
  const { type } = fs.statfsSync(data);
  const found = NAMES.get(type) ?? `type 0x${type.toString(16)}`;
  if (IN_MEMORY.has(type)) {
    return {
      check: 'file system',
      found: `${found}, in memory`,
      mend: 'move the data to a disk: a restart of the machine loses it',
    };
  }
  const mend = REMOTE.has(type) ? 'move the data to a local disk: SQLite’s locks may not work on this one' : null;
  return { check: 'file system', found, mend };
}

/** Writes up to 32 MiB into the folder and removes it. On a disk that takes nothing, that is the finding. */
export function speedOf(data: string): readonly DoctorFinding[] {
  try {
    return measured(data);
  } catch (error) {
    const code = codeOfDisk(error);
    if (code === null) throw error;
    const mend = 'make room on the disk, or mend it or its permissions: until then clients get 503';
    return [{ check: 'disk', found: `a file cannot be written (${code})`, mend }];
  }
}

function measured(data: string): readonly DoctorFinding[] {
  const file = path.join(data, `doctor-${process.pid}`);
  const fd = fs.openSync(file, 'wx', 0o600);
  try {
    const clock = clockOf(fd);
    const sync = medianSync(fd);
    const speed = streamed(fd);
    return [clock, syncFinding(sync), speedFinding(speed)];
  } finally {
    fs.closeSync(fd);
    fs.rmSync(file);
  }
}

function clockOf(fd: number): DoctorFinding {
  fs.writeSync(fd, 'x');
  const skew = Math.round(Date.now() - fs.fstatSync(fd).mtimeMs);
  const far = Math.abs(skew) > SKEW;
  const mend = far ? 'synchronize the clocks with NTP: times and retention of events depend on them' : null;
  return { check: 'clock', found: `${new Date().toISOString()}, ${skew} ms from that of the disk`, mend };
}

/** Microseconds. */
function medianSync(fd: number): number {
  const piece = Buffer.alloc(SYNCED_BYTES, 1);
  const times = Array.from({ length: SYNCS }, (_, i) => {
    const begun = performance.now();
    fs.writeSync(fd, piece, 0, piece.length, i * piece.length);
    fs.fdatasyncSync(fd);
    return (performance.now() - begun) * 1_000;
  });
  return times.sort((a, b) => a - b)[SYNCS >> 1] ?? 0;
}

function syncFinding(us: number): DoctorFinding {
  const found = `${us < 1_000 ? `${Math.round(us)} µs` : `${(us / 1_000).toFixed(1)} ms`} for 4 KiB (median of ${SYNCS})`;
  if (us < IMPOSSIBLE) {
    const mend = 'no disk is this fast: it reports data as written too early, so a power cut loses events';
    return { check: 'fsync', found, mend };
  }
  return {
    check: 'fsync',
    found,
    mend: us > SLOW ? 'use a faster disk: every acknowledgment waits for an fsync' : null,
  };
}

/** Bytes per second. */
function streamed(fd: number): number {
  const piece = Buffer.alloc(2 ** 20, 2);
  const begun = performance.now();
  for (let at = 0; at < STREAMED_BYTES; at += piece.length) fs.writeSync(fd, piece, 0, piece.length, at);
  fs.fdatasyncSync(fd);
  return (STREAMED_BYTES / (performance.now() - begun)) * 1_000;
}

function speedFinding(speed: number): DoctorFinding {
  const mend = speed < LEAST_SPEED ? 'use a faster disk: sealing and compaction will fall behind' : null;
  return { check: 'disk speed', found: `${Math.round(speed / 1e6)} MB/s, written and synced`, mend };
}

export const gib = (bytes: number): string => `${(bytes / 2 ** 30).toFixed(1)} GiB`;

/** What was checked, and the result. */
export interface DoctorFinding {
  readonly check: string;
  readonly found: string;
  /** What to do about it; null: all is well. */
  readonly mend: string | null;
}
