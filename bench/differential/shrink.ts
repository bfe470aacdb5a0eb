/** The smallest world that still shows a difference. */
import type { World } from './world.ts';

/**
 * Leaves out requests and events, in ever smaller pieces, as long as `fails` says yes.
 * @param fails Whether a world still shows the difference.
 */
export async function shrink(world: World, fails: (world: World) => Promise<boolean>): Promise<World> {
  let least = single(world);
  for (let size = Math.ceil(least.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < least.length;) {
      const without = [...least.slice(0, at), ...least.slice(at + size)];
      if (await fails(joined(without))) least = without;
      else at += size;
    }
  }
  return joined(least);
}

/** Requests of one event each, with the index of their original request. */
type Single = { readonly of: number; readonly request: World[number] };

function single(world: World): Single[] {
  return world.flatMap((request, of): Single[] =>
    request.kind === 'identify'
      ? [{ of, request }]
      : request.events.map((event) => ({ of, request: { kind: 'track', events: [event] } })),
  );
}

function joined(singles: readonly Single[]): World {
  const requests: World[number][] = [];
  let last = -1;
  for (const { of, request } of singles) {
    const before = requests.at(-1);
    if (of === last && before?.kind === 'track' && request.kind === 'track') {
      requests[requests.length - 1] = { kind: 'track', events: [...before.events, ...request.events] };
    } else requests.push(request);
    last = of;
  }
  return requests;
}
