/** What a login needs from an identity provider, whichever protocol it speaks. */
import type { LoginIdentity } from '../../control/types.ts';

/** Random texts that tie the provider's answer to our request; the browser never sees the verifier in the clear. */
export interface LoginSecrets {
  readonly state: string;
  /** Repeated in the ID token; GitHub has none. */
  readonly nonce: string;
  /** Of PKCE: the code alone is useless. */
  readonly verifier: string;
}

export interface LoginProvider {
  /** Where to send the browser. `redirectUri`: where it comes back. Rejects with ProviderTrouble. */
  authorizationUrl(secrets: LoginSecrets, redirectUri: string): Promise<URL>;
  /**
   * Who came back. `callback`: the redirect URI with the query that the browser brought. Rejects with LoginRefused when that
   * proves nothing, with ProviderTrouble when it cannot be checked.
   */
  identify(callback: URL, secrets: LoginSecrets): Promise<LoginIdentity>;
}
