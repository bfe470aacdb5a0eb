import { expect } from 'chai';
import { LoginTickets, TICKET_LIFETIME_MS } from '../../../lib/router/auth/login-tickets.ts';
import type { LoginTicket } from '../../../lib/router/auth/login-tickets.ts';

const LOGIN = { state: 's', nonce: 'n', verifier: 'v', provider: 'test', returnTo: '/console' };

describe('tickets of logins', () => {
  let now = 1_000;
  let tickets: LoginTickets;
  beforeEach(() => {
    now = 1_000;
    tickets = new LoginTickets(() => now);
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

  it('are used once', () => {
    const ticket = opened(tickets.seal(LOGIN));
    expect([tickets.use(ticket), tickets.use(ticket)]).to.deep.equal([true, false]);
  });

  it('are nothing to another process', () => {
    expect(new LoginTickets(() => now).open(tickets.seal(LOGIN))).to.equal(null);
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

  it('are forgotten when they have expired, and the oldest when there are too many', () => {
    const first = opened(tickets.seal({ ...LOGIN, state: 'first' }));
    tickets.use(first);
    for (let i = 0; i < 9_999; i++) tickets.use({ ...first, state: String(i) });
    expect(tickets.use(first)).to.equal(false);
    tickets.use({ ...first, state: 'one more' });
    expect(tickets.use(first)).to.equal(true);
  });

  function opened(sealed: string): LoginTicket {
    const ticket = tickets.open(sealed);
    if (ticket === null) throw new Error('it is fresh');
    return ticket;
  }
});
