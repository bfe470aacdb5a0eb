/** What receivers of a project's alerts check. */
import type { ControlDatabase } from '../control/database.ts';

type Signing = Pick<ControlDatabase, 'signingKey'>;

/** Signs the webhooks of a project's alerts; receivers have it as text with `whsec_` before it. */
export function alertSecret(control: Signing, projectId: string): Uint8Array {
  return Buffer.from(control.signingKey(`alerts of ${projectId}`), 'base64url');
}

/** As receivers' libraries take it. */
export const shownSecret = (control: Signing, projectId: string): string =>
  `whsec_${Buffer.from(alertSecret(control, projectId)).toString('base64')}`;
