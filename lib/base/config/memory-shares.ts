/** The one memory budget (`WINDLASS_MEMORY`) and what each part of the process may take of it. docs/limits.md has the table. */
import os from 'node:os';

/** Half the memory of the machine or container, at most 2 GiB. Whole MiB. */
export function defaultMemory(): string {
  const constrained = process.constrainedMemory();
  const machine = constrained > 0 ? Math.min(constrained, os.totalmem()) : os.totalmem();
  const mib = Math.floor(Math.min(2 * 2 ** 30, machine / 2) / 2 ** 20);
  return `${mib}MiB`;
}

/** Bytes. Together they are the whole budget, as pending events may take twice their share before more are refused. */
export function memoryShares(memory: number, writers: number) {
  const sixteenths = (count: number): number => Math.floor((memory / 16) * count);
  const ofWriter = (bytes: number): number => Math.floor(bytes / writers);
  return {
    /** Decoded columns of all query threads plus what running queries hold. */
    queryBytes: sixteenths(8),
    /** One query, at most. */
    queryMemory: sixteenths(8),
    /** Dictionaries of one writer, and of one project. */
    dictionaryBytes: ofWriter(sixteenths(3)),
    projectDictionaryBytes: ofWriter(sixteenths(1)),
    /** Journal of one writer's pending events; beyond it the oldest are sealed, beyond twice as much events are refused. */
    pendingBytes: ofWriter(sixteenths(1)),
    /** Bodies waiting for one writer. */
    queueBytes: ofWriter(sixteenths(1)),
    /** Bodies being received. */
    receiveBytes: sixteenths(1),
    /** Answers of queries not yet read by clients. */
    answerBytes: sixteenths(1),
  };
}
