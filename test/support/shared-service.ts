/** One service for all tests of a process that need nothing of it but its usual settings. For tests alone: it hooks into mocha. */
import { startTestService, type TestService } from './service.ts';

let shared: Promise<TestService> | null = null;

/** An organization with a project of one's own in that service, which starts with the first and stops after the last test. */
export async function sharedService(): Promise<TestService> {
  shared ??= startTestService();
  return (await shared).another();
}

after(async () => (await shared)?.stop());
