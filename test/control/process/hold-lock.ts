/** A process that takes the lock of the given folder, says so, and holds it until it is killed. */
import { DataLock } from '../../../lib/control/process/data-lock.ts';

DataLock.acquire(process.argv[2] ?? '');
process.stdout.write('locked\n');
setInterval(() => undefined, 60_000);
