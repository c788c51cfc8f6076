import { z } from 'zod';
import { getOwn, isJsonObject, type JsonObject, setOwn } from '../base/index.ts';
import { type Config, configSchema } from './config.ts';
import type { Override } from './config-overrides.ts';

/** One setting of a loaded configuration. */
export interface Setting {
  /** `mirror.registry` */
  readonly key: string;
  /** Undefined where nothing sets it and it has no default. */
  readonly value: unknown;
  readonly from: 'default' | 'file' | 'environment' | 'flag';
  /** The variable or the flag. */
  readonly name?: string;
  readonly description: string;
}

/** The parts of JSON Schema that the configuration uses. */
export interface SettingSchema {
  readonly description?: string;
  readonly type?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly string[];
  readonly properties?: Readonly<Record<string, SettingSchema>>;
  readonly items?: SettingSchema;
  readonly required?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The JSON Schema of a configuration file. */
export function configJsonSchema(): SettingSchema {
  const schema = z.toJSONSchema(configSchema, {
    io: 'input',
    override({ jsonSchema }) {
      // The bounds of all whole numbers, and the defaults of maps, say nothing.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (jsonSchema.properties !== undefined && Object.keys(Object(jsonSchema.default)).length === 0)
        delete jsonSchema.default;
    },
  });
  const title = 'Configuration of Supercargo';
  return { ...schema, title } as unknown as SettingSchema;
}

/** A setting with its place in the schema. */
interface SettingDescription {
  readonly path: readonly string[];
  readonly schema: SettingSchema;
}

/** Every setting of the schema in its order, without the fields of selectors and list items. */
export function describeSettings(): readonly SettingDescription[] {
  const walk = (schema: SettingSchema, path: readonly string[]): readonly SettingDescription[] =>
    Object.entries(schema.properties ?? {}).flatMap(([key, inner]) => {
      const own = { path: [...path, key], schema: inner };
      return isGroup(own) ? walk(inner, own.path) : [own];
    });
  return walk(configJsonSchema(), []);
}

/** Selectors are written as one value. */
const isGroup = ({ path, schema }: SettingDescription) =>
  schema.properties !== undefined && !path.at(-1)!.toLowerCase().endsWith('selector');

export function settingsOf(config: Config, file: JsonObject, overrides: readonly Override[]): readonly Setting[] {
  return describeSettings().map(({ path, schema }): Setting => {
    const key = path.join('.');
    const own = { key, value: valueAt(config, path), description: schema.description ?? '' };
    const override = overrides.find((one) => one.key === key);
    if (override) return { ...own, from: override.from, name: override.name };
    return { ...own, from: valueAt(file, path) === undefined ? 'default' : 'file' };
  });
}

/** The names of settings at a path; list items count as their list. */
export function knownKeys(path: readonly string[]): readonly string[] {
  let schema: SettingSchema | undefined = configJsonSchema();
  for (const key of path) schema = /^\d+$/.test(key) ? schema?.items : getOwn(schema?.properties ?? {}, key);
  return Object.keys(schema?.properties ?? {});
}

export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value;
  for (const key of path) at = isJsonObject(at) ? getOwn(at as Record<string, unknown>, key) : undefined;
  return at;
}

/** A configuration file with these settings. */
export function configFileOf(settings: readonly Setting[]): JsonObject {
  const file: Record<string, unknown> = {};
  for (const { key, value } of settings) {
    if (value === undefined) continue;
    const path = key.split('.');
    let at = file;
    for (const name of path.slice(0, -1)) {
      const inner = (getOwn(at, name) ?? {}) as Record<string, unknown>;
      setOwn(at, name, inner);
      at = inner;
    }
    setOwn(at, path.at(-1)!, value);
  }
  return file as JsonObject;
}
