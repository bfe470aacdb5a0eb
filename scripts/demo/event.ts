/** What the demo sends. */

/** Body of an event for POST /track, as sent by a server on behalf of clients. */
export interface DemoEvent {
  readonly event_type: string;
  readonly user_id?: string;
  readonly device_id: string;
  readonly session_id: string;
  readonly time: string;
  readonly insert_id: string;
  readonly ip: string;
  readonly user_agent: string;
  readonly event_properties: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  readonly user_properties?: Readonly<Record<string, string>>;
}

/** Body for POST /identify: a profile, and the device that becomes the user's. */
export type DemoIdentity = Required<Pick<DemoEvent, 'user_id' | 'device_id' | 'user_properties'>>;
