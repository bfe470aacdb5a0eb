/** Which keys a command accepts, and how to get one. */

export type KeyNeed = 'track' | 'query' | 'privacy' | 'dashboards' | 'organization';

interface Need {
  /** Completes "this command needs". */
  readonly kinds: string;
  readonly how: string;
}

const ofScope = (scope: string, where = 'on the server'): Need => ({
  kinds: `a secret key (sk_) or an access token (aat_) with scope "${scope}"`,
  how: `Create a token ${where} with \`wl admin token create <project> --scopes ${scope}\`, or show the secret key with \`wl project get <id>\`.`,
});

const NEEDS: Readonly<Record<KeyNeed, Need>> = {
  track: {
    kinds: 'a public key (pk_), a secret key (sk_) or an access token (aat_) with scope "track"',
    how: 'Show a project’s keys with `wl project get <id>`, or create a token on the server with `wl admin token create <project> --scopes track`.',
  },
  query: ofScope('query'),
  privacy: ofScope('admin'),
  dashboards: ofScope('dashboards', 'in the console, or on the server'),
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
