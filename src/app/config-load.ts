import { readFileSync } from 'node:fs';
import {
  closestName,
  errorMessage,
  isJsonObject,
  type JsonObject,
  parseYaml,
  setOwn,
  UsageError,
} from '../base/index.ts';
import type { Environment } from '../kube/index.ts';
import { type Config, configSchema } from './config.ts';
import { type ConfigFlags, overridesOf } from './config-overrides.ts';
import { knownKeys, type Setting, settingsOf, valueAt } from './config-settings.ts';

interface LoadOptions {
  readonly flags?: ConfigFlags;
  readonly env?: Environment;
}

interface LoadedConfig {
  readonly config: Config;
  /** Every setting with its value, and where the value is from. */
  readonly settings: readonly Setting[];
}

/** Defaults, then a configuration file, then the environment, then flags; one message names all mistakes. */
export function loadConfig(path: string | undefined, { flags = {}, env = {} }: LoadOptions = {}): LoadedConfig {
  const file = path === undefined ? {} : readConfig(path);
  const overrides = overridesOf(flags, env);
  const merged = overrides.reduce((value, { key, value: own }) => withValue(value, key.split('.'), own), file);
  const result = configSchema.safeParse(merged);
  if (result.success) return { config: result.data, settings: settingsOf(result.data, file, overrides) };
  const mistakes = result.error.issues.map((issue) => {
    const at = issue.path.map(String);
    const override = overrides.find(({ key }) => key === at.join('.'));
    if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(at, key)).join('; ');
    const message = issue.code === 'invalid_value' ? `must be one of ${issue.values.join(', ')}` : issue.message;
    if (override) return `${override.name} ${message}, not ${JSON.stringify(override.value)}`;
    return `${at.join('.') || 'the file'}: ${message}`;
  });
  throw new UsageError('config-invalid', `${path ?? 'the options'}: ${mistakes.join('; ')}`);
}

function unknownKey(path: readonly string[], key: string): string {
  const meant = closestName(key, knownKeys(path));
  const name = [...path, key].join('.');
  return `${name}: unknown setting${meant === undefined ? '' : `; did you mean ${[...path, meant].join('.')}?`}`;
}

/** A copy with this value at a path. What is no map stays, and the schema refuses it. */
function withValue(target: JsonObject, [key, ...rest]: readonly string[], value: unknown): JsonObject {
  const copy: Record<string, unknown> = { ...target };
  const inner = valueAt(target, [key!]);
  if (rest.length === 0) setOwn(copy, key!, value);
  else if (inner === undefined || isJsonObject(inner)) setOwn(copy, key!, withValue(inner ?? {}, rest, value));
  return copy as JsonObject;
}

/** A configuration file as it is written, without defaults. */
export function readConfig(path: string): JsonObject {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    throw new UsageError('config-unreadable', `cannot read ${path}: ${errorMessage(thrown)}`);
  }
  const value = parseYaml(text, { file: path }) ?? {};
  if (!isJsonObject(value)) throw new UsageError('config-invalid', `${path}: a configuration is a map of settings`);
  return value;
}
