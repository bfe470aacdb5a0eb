/** What a login needs of an identity provider, whichever protocol it speaks. */
import type { Identity } from '../../control/types.ts';

/** Random texts that tie the provider's answer to the question; the browser never sees the verifier in the clear. */
export interface LoginSecrets {
  readonly state: string;
  /** In the ID token again; GitHub has none. */
  readonly nonce: string;
  /** Of PKCE: who has only the code cannot use it. */
  readonly verifier: string;
}

export interface LoginProvider {
  /** Where the browser has to go. `redirectUri`: where it comes back. Rejects with ProviderTrouble. */
  authorizationUrl(secrets: LoginSecrets, redirectUri: string): Promise<URL>;
  /**
   * Who came back. `callback`: the redirect URI with the query that the browser brought. Rejects with LoginRefused when that
   * proves nobody, with ProviderTrouble when it cannot be checked.
   */
  identify(callback: URL, secrets: LoginSecrets): Promise<Identity>;
}
