import { expect } from 'chai';
import { LoginTickets, TICKET_LIFETIME_MS } from '../../../lib/router/auth/login.ts';

const KEY = Buffer.alloc(32, 7).toString('base64url');
const LOGIN = { state: 's', nonce: 'n', verifier: 'v', provider: 'test', returnTo: '/console' };

describe('tickets of logins', () => {
  let now = 1_000;
  let tickets: LoginTickets;
  beforeEach(() => {
    now = 1_000;
    tickets = new LoginTickets(KEY, () => now);
  });

  it('come back as they were sealed', () => {
    expect(tickets.open(tickets.seal(LOGIN))).to.deep.equal({ ...LOGIN, expiresAt: now + TICKET_LIFETIME_MS });
  });

  it('are good for 10 minutes', () => {
    const sealed = tickets.seal(LOGIN);
    now += TICKET_LIFETIME_MS - 1;
    expect(tickets.open(sealed)).to.not.equal(null);
    now += 1;
    expect(tickets.open(sealed)).to.equal(null);
  });

  it('are open to another node with the key, and to nobody without', () => {
    const sealed = tickets.seal(LOGIN);
    expect(new LoginTickets(KEY, () => now).open(sealed)?.state).to.equal('s');
    expect(new LoginTickets(Buffer.alloc(32, 8).toString('base64url'), () => now).open(sealed)).to.equal(null);
  });

  it('are nothing when a bit of them changed', () => {
    const sealed = Buffer.from(tickets.seal(LOGIN), 'base64url');
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expect(tickets.open(changed.toString('base64url')), `byte ${i}`).to.equal(null);
    }
  });

  it('fit into a cookie with the longest path', () => {
    const sealed = tickets.seal({ ...LOGIN, provider: 'p'.repeat(32), returnTo: `/${'x'.repeat(511)}` });
    expect(sealed.length).to.be.below(4_000);
  });
});
