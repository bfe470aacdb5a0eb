/** Why a login failed, as `/login?error=<code>` tells it to a person. The log says the rest. */
export const LOGIN_ERRORS = {
  denied: 'The provider did not log you in. You may have said no there, or have no access.',
  state: 'That login was begun in another browser, took more than 10 minutes, or is done already. Please begin again.',
  link: 'That link was used already, or is more than 10 minutes old. Please ask for a new one.',
  failed: 'What the provider answered cannot be trusted. Please begin again; if it stays like this, tell the operator.',
} as const;

export type LoginErrorCode = keyof typeof LOGIN_ERRORS;

/** A login that must not succeed. `message` is for the log, and holds no secrets. */
export class LoginRefused extends Error {
  readonly code: LoginErrorCode;

  constructor(code: LoginErrorCode, message: string) {
    super(message);
    this.name = 'LoginRefused';
    this.code = code;
  }
}

/** A provider that cannot be reached or does not work; the person has done nothing wrong. */
export class ProviderTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProviderTrouble';
  }
}
