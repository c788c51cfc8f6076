import { createHash } from 'node:crypto';
import { isJsonObject, type Json, type JsonObject, parseYaml, renderYaml, setOwn } from '../base/index.ts';
import { deepEqual, type KubeObject } from '../object/index.ts';

/** The configuration that was applied last: what differs from it in the cluster was changed by a user. */
const appliedConfigAnnotation = 'supercargo.dev/applied-config';
const checksumAnnotation = 'supercargo.dev/config-checksum';
const file = 'config.yaml';

/** For the annotation of pods, which are replaced when it changes. */
export const checksumOf = (config: string) => createHash('sha256').update(config.trimEnd()).digest('hex');

interface MergedConfig {
  readonly text: string;
  /** The settings that a user changed, as `mirror.pin`. */
  readonly kept: readonly string[];
}

/** Applies what changed between two versions of our configuration to the one in the cluster, which a user may edit. */
export function mergeConfig(base: string | undefined, live: string, next: string): MergedConfig {
  const [before, now, wanted] = [parse(base ?? ''), parse(live), parse(next)];
  // What cannot be read cannot be merged; the program says so when it reads it.
  if (!isJsonObject(now) || !isJsonObject(wanted)) return { text: live, kept: ['the whole file'] };
  const from = isJsonObject(before) ? before : {};
  const kept: string[] = [];
  const merged = merge(from, now, wanted, '', kept);
  // Untouched, with its comments, where we have nothing to change.
  const text = kept.length === 0 ? next : deepEqual(merged, now) ? live : renderYaml(merged, { sortKeys: true });
  return { text, kept };
}

function parse(text: string): unknown {
  try {
    return parseYaml(text) ?? {};
  } catch {
    return undefined;
  }
}

function merge(base: JsonObject, live: JsonObject, next: JsonObject, path: string, kept: string[]): JsonObject {
  const result: Record<string, Json | undefined> = {};
  for (const key of new Set([...Object.keys(next), ...Object.keys(live), ...Object.keys(base)])) {
    const [before, now, wanted] = [base, live, next].map((one) => (Object.hasOwn(one, key) ? one[key] : undefined));
    const place = path === '' ? key : `${path}.${key}`;
    let value = wanted;
    if (isJsonObject(now) && isJsonObject(wanted))
      value = merge(isJsonObject(before) ? before : {}, now, wanted, place, kept);
    else if (!deepEqual(now, before) && !deepEqual(now, wanted)) {
      value = now;
      kept.push(place);
    }
    if (value !== undefined) setOwn(result, key, value);
  }
  return result as JsonObject;
}

const nameOf = ({ kind, metadata }: KubeObject) => `${kind}/${metadata.name}`;

/** The objects with the configurations of users merged in, and their changed settings by `ConfigMap/<name>`. */
export async function keepConfigs(
  objects: readonly KubeObject[],
  find: (object: KubeObject) => Promise<KubeObject | undefined>,
): Promise<{ readonly objects: readonly KubeObject[]; readonly kept: ReadonlyMap<string, readonly string[]> }> {
  const configs = new Map<string, MergedConfig>();
  for (const object of objects.filter(isConfig)) {
    const next = textOf(object)!;
    const present = await find(object);
    const live = present && textOf(present);
    const base = present?.metadata.annotations?.[appliedConfigAnnotation];
    configs.set(object.metadata.name!, live === undefined ? { text: next, kept: [] } : mergeConfig(base, live, next));
  }
  const kept = new Map([...configs].map(([name, one]) => [`ConfigMap/${name}`, one.kept]));
  const merged = objects.map((object) => {
    const config = configs.get(object.metadata.name!);
    if (config === undefined) return object;
    if (isConfig(object)) return withConfig(object, config.text);
    return object.kind === 'Deployment' ? withChecksum(object, checksumOf(config.text)) : object;
  });
  return { objects: merged, kept: new Map([...kept].filter(([, names]) => names.length > 0)) };
}

export const changesOf = (kept: ReadonlyMap<string, readonly string[]>, object: KubeObject) => kept.get(nameOf(object));
const textOf = (object: KubeObject) => (object['data'] as Readonly<Record<string, string>> | undefined)?.[file];
const isConfig = (object: KubeObject) => object.kind === 'ConfigMap' && textOf(object) !== undefined;

function withConfig(object: KubeObject, text: string): KubeObject {
  const annotations = { ...object.metadata.annotations, [appliedConfigAnnotation]: textOf(object)! };
  return { ...object, metadata: { ...object.metadata, annotations }, data: { [file]: text } };
}

function withChecksum(object: KubeObject, checksum: string): KubeObject {
  const spec = object['spec'] as { readonly template: KubeObject };
  const { metadata } = spec.template;
  const annotations = { ...metadata.annotations, [checksumAnnotation]: checksum };
  return { ...object, spec: { ...spec, template: { ...spec.template, metadata: { ...metadata, annotations } } } };
}
