import { UsageError } from '../base/index.ts';
import type { PartValues } from './chart/values.ts';
import type { FeatureName } from './config.ts';
import { parseFeatures } from './features/index.ts';

/** Features that run in one Deployment, with one ServiceAccount and only the permissions of these features. */
export interface Part extends Omit<PartValues, 'features'> {
  readonly features: readonly FeatureName[];
}

/** Admission, generation and reports exchange results in the process, so they are one part. */
export const defaultParts: readonly Part[] = [
  { name: 'policies', features: ['admission', 'generate', 'report', 'cleanup'] },
  { name: 'mirror', features: ['mirror'] },
  { name: 'automation', features: ['detect', 'create'] },
  { name: 'insights', features: ['sync', 'jobs'] },
  // It reads all of a cluster and has a port for people: alone, it has no rights beyond reading.
  { name: 'dashboard', features: ['dashboard'] },
];

/** The parts of an installation with these features; parts without features are omitted. */
export function partsOf(features: readonly FeatureName[]): readonly Part[] {
  return defaultParts
    .map(({ name, features: all }) => ({ name, features: all.filter((feature) => features.includes(feature)) }))
    .filter(({ features: some }) => some.length > 0);
}

/** `NAME=feature,feature` each; a feature is in at most one part. */
export function parseParts(texts: readonly string[], option = '--part'): readonly Part[] {
  const parts = texts.map((text) => {
    const [name = '', list = ''] = text.split(/=(.*)/s);
    if (!isPartName(name) || list === '')
      throw new UsageError('install-part', `${option} ${text}: write NAME=feature,feature, for example detect=detect`);
    return { name, features: parseFeatures(list) };
  });
  const twice = repeated(parts.map(({ name }) => name)) ?? repeated(parts.flatMap(({ features }) => features));
  if (twice !== undefined) throw new UsageError('install-part', `${option}: ${twice} is named twice`);
  return parts;
}

/** The middle of names of objects, which are at most 63 characters long. */
export const partNamePattern = /^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$/;
const isPartName = (name: string) => partNamePattern.test(name);

const repeated = (words: readonly string[]) => words.find((word, index) => words.indexOf(word) !== index);
