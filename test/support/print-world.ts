/** A world as the lines that `parseWorld` reads: turns a counterexample into a golden file. */
import { wireJson } from './wire-json.ts';
import type { World } from '../oracle/world.ts';

export function printWorld(world: World): string {
  const lines: string[] = [];
  let at: number | null = null;
  for (const request of world) {
    lines.push(request.at === at ? '' : `at ${new Date(request.at).toISOString()}`);
    at = request.at;
    if ('track' in request) lines.push(...request.track.map(wireJson));
    else if ('unbind' in request) lines.push(`unbind ${request.unbind}`);
    else lines.push(`identify ${printIdentify(request.identify)}`);
  }
  return lines.join('\n');
}

function printIdentify(raw: unknown): string {
  const body: { [key: string]: unknown } = { ...(raw as object) };
  const ids = [
    ...(body['user_id'] === undefined ? [] : [`user=${JSON.stringify(body['user_id'])}`]),
    ...(body['device_id'] === undefined ? [] : [`device=${JSON.stringify(body['device_id'])}`]),
  ];
  const objects = [body['user_properties'] ?? {}, body['user_property_ops'] ?? {}];
  return [...ids, ...objects.map((object) => wireJson(object))].join(' ');
}
