/** Who may be told of alerts by mail. */
import type { ControlDatabase } from '../../control/database.ts';

export async function isMember(control: Pick<ControlDatabase, 'members'>, orgId: string, address: string): Promise<boolean> {
  const members = await control.members.list(orgId);
  return members.some(({ email, status }) => status === 'active' && email === address);
} // prettier-ignore
