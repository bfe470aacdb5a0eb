import type { ControlDatabase } from '../../control/database.ts';
import { UsageError } from '../command.ts';

/** The id of the organization that needs no naming. */
export function onlyOrganization(control: ControlDatabase): string {
  const [first, second] = control.organizations.list();
  if (first === undefined) throw new UsageError('there is no organization yet: `wl admin org create NAME` makes one');
  if (second !== undefined) {
    throw new UsageError('there are several organizations: name one with --org (`wl admin org list` shows them)');
  }
  return first.id;
}
