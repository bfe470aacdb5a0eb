import type { ControlDatabase } from '../../control/database.ts';
import { UsageError } from '../command.ts';

/** The id of the organization if there is only one. */
export async function onlyOrganization(control: ControlDatabase): Promise<string> {
  const [first, second] = await control.organizations.list();
  if (first === undefined)
    throw new UsageError('there is no organization yet: create one with `wl admin org create NAME`');
  if (second !== undefined) {
    throw new UsageError('there are several organizations: choose one with --org (`wl admin org list` lists them)');
  }
  return first.id;
}
