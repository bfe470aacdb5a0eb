import { AppError } from '../errors.ts';
import { guarded, openForReading } from './shard-file.ts';

/** Problems told of one shard; a damaged file can have thousands. */
const MAX_PROBLEMS = 10;

/** What is wrong with a shard file, one line each; empty when nothing is. A server may have it open at the same time. */
export function checkShard(file: string): readonly string[] {
  try {
    const connection = openForReading(file);
    try {
      return guarded(file, () => {
        const found = connection.prepare<[], string>(`PRAGMA integrity_check(${MAX_PROBLEMS})`).pluck().all();
        return found.filter((line) => line !== 'ok');
      });
    } finally {
      connection.close();
    }
  } catch (error) {
    if (error instanceof AppError && error.data.code === 'shard_damaged') return [error.message];
    throw error;
  }
}
