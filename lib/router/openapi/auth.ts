/** Describes the login through identity providers for /openapi.json. */
import { operation } from './operation.ts';
import { parameter, pathId, seeOther } from './parts.ts';

const PROVIDER = pathId('provider', 'Name of a configured provider, in lower case.');
const LOGIN = { tags: ['login'], security: [] };

export const AUTH_PATHS = {
  '/auth/{provider}': {
    parameters: [PROVIDER],
    get: operation(LOGIN, 'beginLogin', 'Sends a browser to the identity provider to log in.', {
      parameters: [parameter('return_to', 'Path of this service to go to afterwards; others are passed over.')],
      answers: { '303': seeOther('An address of the provider.') },
      fails: [405, 429],
    }),
  },
  '/auth/{provider}/cb': {
    parameters: [PROVIDER],
    get: operation(
      LOGIN,
      'finishLogin',
      'The callback of the provider: sets wl_session, or redirects to /login?error=….',
      {
        parameters: [
          parameter('state', 'Of the login that was begun in this browser.'),
          parameter('code', "The provider's code for the login."),
          parameter('error', 'Why the provider refused the login.'),
          parameter('iss', 'Which provider says so.'),
        ],
        answers: { '303': seeOther('A path of this service.') },
        fails: [405],
      },
    ),
  },
};
