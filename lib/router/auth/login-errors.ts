/** Why a login failed, as `/login?error=<code>` tells a person. The log has the details. */
export const LOGIN_ERRORS = {
  denied: 'The provider did not log you in. You may have declined, or your account may not have access.',
  state: 'The login started in another browser, took longer than 10 minutes, or is already complete. Please try again.',
  link: 'This link has been used or has expired: links last 10 minutes. Please ask for a new one.',
  failed: 'The provider’s answer could not be verified. Please try again, and tell the operator if it keeps failing.',
} as const;

export type LoginErrorCode = keyof typeof LOGIN_ERRORS;

/** A login that must not succeed. `message` is for the log and holds no secrets. */
export class LoginRefused extends Error {
  readonly code: LoginErrorCode;

  constructor(code: LoginErrorCode, message: string) {
    super(message);
    this.name = 'LoginRefused';
    this.code = code;
  }
}

/** A provider that is unreachable or broken; the person did nothing wrong. */
export class ProviderTrouble extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ProviderTrouble';
  }
}
