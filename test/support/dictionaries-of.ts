import type { Dictionary, Profile } from '../../lib/shards/shard-reader.ts';
import { CodedProfiles } from '../../lib/workers/rows/coded-profiles.ts';
import { PeopleList } from '../../lib/workers/rows/people-list.ts';
import { ProfileDictionaries, type ProfileSource } from '../../lib/workers/rows/profile-dictionaries.ts';

/** Fields of profiles that are all there, in any order. */
export function dictionariesOf(profiles: readonly Profile[], ids: Dictionary): ProfileDictionaries {
  const list = profiles.toSorted((a, b) => a.person - b.person);
  const coded = new CodedProfiles({
    persons: list.map(({ person }) => person),
    firstSeen: list.map(({ firstSeen }) => firstSeen),
    lastSeen: list.map(({ lastSeen }) => lastSeen),
    properties: list.map(({ properties }) => properties),
  });
  const people = new PeopleList(list);
  const propertiesOf = (one: number) => list.find(({ person }) => person === one)?.properties ?? {};
  const some: ProfileSource['some'] = (persons, read) => Array.from(persons, (one) => read(propertiesOf(one)));
  return new ProfileDictionaries({ list: () => people, coded: () => coded, some }, ids);
}
