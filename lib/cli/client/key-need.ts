/** Which keys a command accepts, and how to get one. */

export type KeyNeed = 'track' | 'query' | 'privacy' | 'dashboards' | 'organization';

interface Need {
  /** Completes "this command needs". */
  readonly kinds: string;
  readonly how: string;
}

const NEEDS: Readonly<Record<KeyNeed, Need>> = {
  track: {
    kinds: 'a public key (pk_), a secret key (sk_) or an access token (aat_) with scope "track"',
    how: 'Show a project’s keys with `wl project get <id>`, or create a token on the server with `wl admin token create <project> --scopes track`.',
  },
  query: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "query"',
    how: 'Create a token on the server with `wl admin token create <project> --scopes query`, or show the secret key with `wl project get <id>`.',
  },
  privacy: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "admin"',
    how: 'Create a token on the server with `wl admin token create <project> --scopes admin`, or show the secret key with `wl project get <id>`.',
  },
  dashboards: {
    kinds: 'a secret key (sk_) or an access token (aat_) with scope "dashboards"',
    how: 'Create a token in the console, or on the server with `wl admin token create <project> --scopes dashboards`, or show the secret key with `wl project get <id>`.',
  },
  organization: {
    kinds: 'the admin key of an organization (ak_)',
    how: 'It is shown once, at the first start or by `wl admin org create`. An owner can rotate it in the console, which ends the old one.',
  },
};

/** Hints for a missing or wrong key. @param message What they stand below: kinds of keys that it names are not named again. */
export function keyHints(need: KeyNeed, message = ''): readonly string[] {
  const { kinds, how } = NEEDS[need];
  return [
    ...(message.includes(kinds) ? [] : [`This command needs ${kinds}.`]),
    how,
    'Set it with WINDLASS_API_KEY, --api-key or `wl config init`.',
  ];
}
