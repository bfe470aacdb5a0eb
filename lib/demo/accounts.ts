/** Names and companies of the demo's users. */
import type { DemoIdentity } from './event.ts';
import { Choice, type Random } from './random.ts';
import type { Visitor } from './recorder.ts';

const FIRST = 'Ada Ben Carla Deniz Elif Femi Grace Hugo Ines Jonas Kofi Lena Mateo Nadia Omar Petra Quentin Rosa Sven Tara Uma Viktor Wanda Yusuf Zoe'.split(' '); // prettier-ignore
const LAST = 'Almeida Brandt Castro Dubois Eriksen Fischer Garcia Haddad Ivanov Jensen Kaya Lambert Meyer Novak Okafor Patel Rossi Silva Tanaka Weber'.split(' '); // prettier-ignore
const COMPANY_HEAD = 'north river bright stone green blue swift amber cedar lumen harbor atlas'.split(' ');
const COMPANY_TAIL = 'works labs foods travel media health bank games energy logistics studio retail'.split(' ');

const PRIVATE_MAIL = 0.18; // share of users without a company
const sizes = new Choice([['1-10', 5], ['11-50', 6], ['51-200', 3], ['201-1000', 1]]); // prettier-ignore

/** An account for a visitor, whose device becomes the user's. */
export function makeAccount(
  visitor: Visitor & { readonly user: string },
  channel: string,
  random: Random,
): DemoIdentity {
  const first = pick(FIRST, random);
  const last = pick(LAST, random);
  // Squaring gives some companies many users.
  const company = Math.floor(COMPANY_HEAD.length * COMPANY_TAIL.length * random.unit() ** 2);
  const name = `${COMPANY_HEAD[company % COMPANY_HEAD.length]!}-${COMPANY_TAIL[Math.floor(company / COMPANY_HEAD.length)]!}`;
  const employed = random.unit() >= PRIVATE_MAIL;
  const domain = employed ? `${name}.example` : 'mailbox.example';
  return {
    user_id: visitor.user,
    device_id: visitor.device,
    user_properties: {
      name: `${first} ${last}`,
      email: `${first}.${last}${random.below(90) + 10}@${domain}`.toLowerCase(),
      country: visitor.place.country,
      plan: 'free',
      channel,
      ...(employed ? { company_id: name, company_size: sizes.draw(random) } : {}),
    },
  };
}

function pick(list: readonly string[], random: Random): string {
  return list[random.below(list.length)]!;
}
