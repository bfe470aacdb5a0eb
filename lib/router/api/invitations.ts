/** /api/invitations: what the logged-in person is invited to. Only a login that has proven the address sees and answers them. */
import type { Request } from '../http/request.ts';
import type { ControlDatabase } from '../../control/database.ts';
import { invitationJson, membershipJson } from '../../control/json.ts';
import { idParameter } from '../http/query-string.ts';
import { NO_BODY } from '../route/json-body.ts';
import { managed, receiving } from '../route/managed.ts';
import type { Routes } from '../route/route.ts';
import { component, json, list, ORG, ANY_STRING, DATE_TIME, objectOf } from '../route/schema.ts';
import { noSuch } from '../roles.ts';
import { DELETED, MEMBERSHIP, ROLE } from './schemas.ts';
import { SESSION, admitVisitor } from './doors.ts';

const INVITATION = component(
  'Invitation',
  objectOf({ org_id: ORG, org_name: ANY_STRING, role: ROLE, invited_at: DATE_TIME }),
);

export const INVITATION_ROUTES: Routes = {
  '/api/invitations': {
    get: managed(SESSION, 'listInvitations', 'Lists the invitations of the address that this login has proven.', {
      admit: admitVisitor('read'),
      ok: json('The oldest first.', list(INVITATION)),
      answer: async ({ control }, { email }) => (await control.members.invitations(email)).map(invitationJson),
    }),
  },
  '/api/invitations/{orgID}/accept': {
    post: receiving(
      SESSION,
      'acceptInvitation',
      'Accepts an invitation: the account is a member from then on. Before, the organization sees nothing of it.',
      {
        admit: admitVisitor('change'),
        body: NO_BODY,
        ok: json('The organization.', MEMBERSHIP),
        answer: async ({ control }, { account, email, ip }, _body, request) => {
          const id = await known(control, email, request);
          return membershipJson(await control.members.accept(id, { account, email, ip }));
        },
      },
    ),
  },
  '/api/invitations/{orgID}/decline': {
    post: receiving(SESSION, 'declineInvitation', 'Declines an invitation, which is gone then.', {
      admit: admitVisitor('change'),
      body: NO_BODY,
      ok: json('`id` is the organization.', DELETED),
      answer: async ({ control }, { email }, _body, request) => {
        const id = await known(control, email, request);
        await control.members.decline(id, { email });
        return { deleted: true, id };
      },
    }),
  },
};

/** The same 404 for an organization that does not exist, and for one that has not invited this address. */
async function known({ members }: ControlDatabase, email: string | null, request: Request): Promise<string> {
  const orgId = idParameter(request, 'orgID');
  if (!(await members.invitations(email)).some((one) => one.orgId === orgId)) throw noSuch('invitation');
  return orgId;
}
