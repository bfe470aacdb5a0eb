import { clientCommand, asRecord } from '../client/client-command.ts';
import { checkTime } from './field-map.ts';
import { mergedProperties, jsonProperties, numberProperties, textProperties, type Properties } from './properties.ts';
import { flag, optional, repeated, required } from '../command.ts';

export const identify = clientCommand({
  usage: 'identify',
  summary: 'Bind a device to a user, and change user properties',
  examples: [
    ['wl identify --user-id u1 --device-id d1', 'credits the device and its earlier events to u1'],
    ['wl identify --user-id u1 --prop plan=pro --set-once source=ad --add logins=1', 'properties'],
    [`wl identify --user-id u1 --prop-json '{"seats": 5}' --unset trial`, 'sets a number and removes another property'],
  ],
  options: {
    'user-id': required('The user id'),
    'device-id': optional('Device to bind to the user'),
    time: optional('When this was so, as of events: what changed later stays [default: now]'),
    prop: repeated('name=value to set as text; repeatable'),
    'prop-json': optional('JSON object of typed properties to set; takes precedence over --prop'),
    'set-once': repeated('name=value to set if the property has no value yet; repeatable'),
    add: repeated('name=number to add to a numeric property; repeatable'),
    unset: repeated('Property to remove; repeatable'),
    'dry-run': flag('Print what would be sent, without sending it'),
  },
  run: async (args, { api, output }) => {
    checkTime(args.time);
    const text = textProperties('prop', args.prop ?? []);
    const json = args['prop-json'];
    const operations = filled({
      $set: json === undefined ? text : mergedProperties(text, jsonProperties(json)),
      $set_once: textProperties('set-once', args['set-once'] ?? []),
      $add: numberProperties(args.add ?? []),
      $unset: args.unset ?? [],
    });
    const body = {
      user_id: args['user-id'],
      ...(args['device-id'] === undefined ? {} : { device_id: args['device-id'] }),
      ...(args.time === undefined ? {} : { time: args.time }),
      ...(Object.keys(operations).length === 0 ? {} : { user_property_ops: operations }),
    };
    if (args['dry-run']) {
      output.json(body);
      return;
    }
    // Not retried after a 5xx: $add would count twice.
    const answer = await api.json({ method: 'POST', path: '/identify', body: JSON.stringify(body), key: 'track', retry: 'rate', anonymous: true });
    await output.record(asRecord(answer));
  },
}); // prettier-ignore

function filled(
  operations: Readonly<Record<string, Properties | readonly string[]>>,
): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(operations).filter(([, value]) => Object.keys(value).length > 0));
}
