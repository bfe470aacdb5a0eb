/** Bodies of requests about organizations and their members. /openapi.json uses the same schemas. */
import { ROLES, type Role } from '../../control/types.ts';
import { JsonBody } from './json-body.ts';
import { NAMED } from './project-bodies.ts';

const EMAIL = { type: 'string', description: 'Case-insensitive.' };

const OBJECT = 'The body must be a JSON object';
const ADDRESS = '"email" must be an e-mail address, a string.';

export const ORGANIZATION_BODY = new JsonBody<{ readonly name: string }>(NAMED, {
  '': `${OBJECT} with the name of the organization in "name".`,
  '/name': '"name" must be the name of the organization, a string.',
});

export const INVITE_BODY = new JsonBody<{ readonly email: string; readonly role: Role }>(
  {
    required: ['email', 'role'],
    properties: { email: EMAIL, role: { enum: ROLES, description: 'Only owners can add owners.' } },
  },
  {
    '': `${OBJECT} with "email" and "role".`,
    '/email': ADDRESS,
    '/role': `"role" must be one of ${ROLES.join(', ')}.`,
  },
);

export const REMOVE_BODY = new JsonBody<{ readonly email: string }>(
  { required: ['email'], properties: { email: EMAIL } },
  { '': `${OBJECT} with the address of the member in "email".`, '/email': ADDRESS },
);
