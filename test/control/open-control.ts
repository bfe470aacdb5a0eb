import { ControlDatabase } from '../../lib/control/database.ts';
import type { OpenOptions } from '../../lib/control/open-options.ts';
import type { Actor, Organization, Project } from '../../lib/control/types.ts';
import { AppError, type ErrorData } from '../../lib/base/errors.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

export const SECRET = 'a secret of the tests';
export const TESTER: Actor = { name: 'tester', ip: '192.0.2.1' };
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;

/** A clock that moves only when a test sets it. */
export class Clock {
  time = Date.UTC(2026, 0, 15, 12);
  readonly now = (): number => this.time;
}

export interface World {
  readonly folder: string;
  readonly clock: Clock;
  readonly control: ControlDatabase;
  readonly organization: Organization;
  readonly adminKey: string;
  readonly project: Project;
  readonly secretKey: string;
}

const open: ControlDatabase[] = [];

/** A control database in a new folder, with an organization and a project. */
export function newWorld(): World {
  const folder = temporaryFolder();
  const clock = new Clock();
  const control = openControl(folder, clock);
  const { organization, adminKey } = control.organizations.create('Acme');
  const { project, secretKey } = control.projects.create(organization.id, 'Shop', TESTER);
  return { folder, clock, control, organization, adminKey, project, secretKey };
}

/** Opens a folder again, as another process would. */
export function openControl(
  folder: string,
  clock: Clock = new Clock(),
  options: Partial<OpenOptions> = {},
): ControlDatabase {
  const control = ControlDatabase.open(folder, { secret: SECRET, now: clock.now, ...options });
  open.push(control);
  return control;
}

/** The error that `act` reports to a user. */
export function refusal(act: () => unknown): ErrorData {
  try {
    act();
  } catch (error) {
    if (error instanceof AppError) return error.data;
    throw error;
  }
  throw new Error('nothing was thrown');
}

afterEach(() => {
  for (const control of open.splice(0)) control.close();
});
