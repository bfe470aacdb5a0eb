/** What /openapi.json says of the login through identity providers. */
import { errors } from './errors.ts';
import { pathId } from './parts.ts';

const PROVIDER = pathId('provider', 'Name of a configured provider, in lower case.');
const LOGIN = { tags: ['login'], security: [] };

export const AUTH_PATHS = {
  '/auth/{provider}': { parameters: [PROVIDER], get: beginning() },
  '/auth/{provider}/cb': { parameters: [PROVIDER], get: callback() },
};

function beginning(): object {
  return {
    operationId: 'beginLogin',
    summary: 'Sends a browser to the identity provider to log in.',
    ...LOGIN,
    parameters: [parameter('return_to', 'Path of this service to go to afterwards; others are passed over.')],
    responses: { '303': seeOther('An address of the provider.'), ...errors(405, 429) },
  };
}

function callback(): object {
  return {
    operationId: 'finishLogin',
    summary: 'The callback of the provider: sets wl_session, or redirects to /login?error=….',
    ...LOGIN,
    parameters: [
      parameter('state', 'Of the login that was begun in this browser.'),
      parameter('code', 'What the provider gives for who logged in.'),
      parameter('error', 'Why the provider logs nobody in.'),
      parameter('iss', 'Which provider says so.'),
    ],
    responses: { '303': seeOther('A path of this service.'), ...errors(405) },
  };
}

function seeOther(where: string): object {
  return {
    description: 'Redirect to `Location`.',
    headers: { Location: { description: where, required: true, schema: { type: 'string' } } },
  };
}

function parameter(name: string, description: string): object {
  return { name, in: 'query', required: false, description, schema: { type: 'string' } };
}
