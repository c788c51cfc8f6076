import type { KubeObject } from '../../object/index.ts';
import type { Conversion } from './definition.ts';

/** Field names of core/v1 Event, the stored form, and of events.k8s.io/v1, where they differ. */
const renamed: readonly (readonly [core: string, events: string])[] = [
  ['involvedObject', 'regarding'],
  ['message', 'note'],
  ['reportingComponent', 'reportingController'],
  ['source', 'deprecatedSource'],
  ['firstTimestamp', 'deprecatedFirstTimestamp'],
  ['lastTimestamp', 'deprecatedLastTimestamp'],
  ['count', 'deprecatedCount'],
];

/** The two event kinds are two views of the same objects. */
export const eventConversion: Conversion = {
  toStored: (object) => rename(object, 'v1', new Map(renamed.map(([core, events]) => [events, core]))),
  fromStored: (object) => rename(object, 'events.k8s.io/v1', new Map(renamed)),
};

function rename(object: KubeObject, apiVersion: string, names: ReadonlyMap<string, string>): KubeObject {
  const fields = Object.entries(object).map(([field, value]) => [names.get(field) ?? field, value]);
  return { ...Object.fromEntries(fields), apiVersion };
}
