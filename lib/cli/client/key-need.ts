/** Which keys a command takes, and how to come by one. */

export type KeyNeed = 'track' | 'query' | 'privacy' | 'dashboards' | 'organization';

interface Need {
  /** Completes "this command needs". */
  readonly kinds: string;
  readonly how: string;
}

const NEEDS: Readonly<Record<KeyNeed, Need>> = {
  track: {
    kinds: 'a public key (pk_), a secret key (sk_) or an access token (aat_) with scope "track"',
    how: 'Keys of a project: `wl project get <id>`, or on the machine of the server `wl admin token create <project> --scopes track`.',
  },
  query: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "query"',
    how: 'A token: on the machine of the server `wl admin token create <project> --scopes query`; the secret key: `wl project get <id>`.',
  },
  privacy: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "admin"',
    how: 'A token: on the machine of the server `wl admin token create <project> --scopes admin`; the secret key: `wl project get <id>`.',
  },
  dashboards: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "dashboards"',
    how: 'A token: in the console, or on the machine of the server `wl admin token create <project> --scopes dashboards`; the secret key: `wl project get <id>`.',
  },
  organization: {
    kinds: 'an org admin key (ak_)',
    how: 'It is shown once, at the first start and by `wl admin org create`; an owner makes a new one after login, which ends the old one.',
  },
};

/** Hints for whoever has no key or the wrong one. */
export function keyHints(need: KeyNeed): readonly string[] {
  const { kinds, how } = NEEDS[need];
  return [`This command needs ${kinds}.`, how, 'Give it with WINDLASS_API_KEY, --api-key or `wl config init`.'];
}
