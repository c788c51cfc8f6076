import { dirname, isAbsolute, resolve } from 'node:path';
import { isJsonObject, type JsonObject, parseYaml } from '../base/index.ts';
import { KubeConfigError } from './credentials.ts';

/** A cluster, user or context as written, and the folder that its relative paths start from. */
export interface Entry {
  readonly value: JsonObject;
  readonly folder: string;
}

export interface KubeconfigFile {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

/** The only parser of kubeconfig text. */
export function parseKubeconfigText(text: string, source: string): KubeconfigFile {
  let value: unknown;
  try {
    value = text.trim() === '' ? {} : parseYaml(text);
  } catch {
    // Parsers quote their input, and a kubeconfig is full of credentials.
    throw new KubeConfigError('kube-config-invalid', `${source} is not valid YAML`);
  }
  return parseKubeconfig(value, source);
}

/** Reads a parsed kubeconfig; `source` is its path, or its name in messages. */
function parseKubeconfig(value: unknown, source: string): KubeconfigFile {
  if (value === null || value === undefined) return parseKubeconfig({}, source);
  if (!isJsonObject(value)) throw new KubeConfigError('kube-config-invalid', `${source} is not a kubeconfig`);
  if (value['kind'] !== undefined && value['kind'] !== 'Config') {
    throw new KubeConfigError('kube-config-invalid', `${source} is not a kubeconfig: its kind is not Config`);
  }
  const folder = isAbsolute(source) ? dirname(source) : resolve(dirname(source));
  const named = (list: string, field: string) => namedEntries(value[list], { list, field, source, folder });
  const current = value['current-context'];
  return {
    currentContext: typeof current === 'string' ? current : '',
    clusters: named('clusters', 'cluster'),
    users: named('users', 'user'),
    contexts: named('contexts', 'context'),
  };
}

/** The first file that names a context, cluster or user provides the whole entry, as kubectl does with KUBECONFIG. */
export function mergeKubeconfigs(files: readonly KubeconfigFile[]): KubeconfigFile {
  const first = (pick: (file: KubeconfigFile) => ReadonlyMap<string, Entry>) => {
    const merged = new Map<string, Entry>();
    for (const file of files) {
      for (const [name, entry] of pick(file)) if (!merged.has(name)) merged.set(name, entry);
    }
    return merged;
  };
  return {
    currentContext: files.find((file) => file.currentContext !== '')?.currentContext ?? '',
    clusters: first((file) => file.clusters),
    users: first((file) => file.users),
    contexts: first((file) => file.contexts),
  };
}

/** A path of the entry, resolved against the folder of its file. */
export function entryPath(entry: Entry, field: string): string | undefined {
  const path = entryText(entry, field);
  return path === undefined ? undefined : resolve(entry.folder, path);
}

export function entryText(entry: Entry, field: string): string | undefined {
  const value = entry.value[field];
  if (value === undefined || value === null || value === '') return undefined;
  // A token of digits without quotes is a number in YAML. Ignoring it would send anonymous requests.
  if (typeof value !== 'string') {
    throw new KubeConfigError('kube-config-invalid', `${field} in the kubeconfig is not a string; put it in quotes`);
  }
  return value;
}

/** A `…-data` field: base64 of PEM. */
export function entryData(entry: Entry, field: string): string | undefined {
  const value = entryText(entry, field);
  if (value === undefined) return undefined;
  if (!/^[A-Za-z0-9+/\s]*=*\s*$/.test(value)) {
    throw new KubeConfigError('kube-config-invalid', `${field} in the kubeconfig is not base64`);
  }
  return Buffer.from(value, 'base64').toString('utf8');
}

interface ListContext {
  readonly list: string;
  readonly field: string;
  readonly source: string;
  readonly folder: string;
}

function namedEntries(value: unknown, { list, field, source, folder }: ListContext): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  if (value === undefined || value === null) return entries;
  const wrong = (what: string) => new KubeConfigError('kube-config-invalid', `${source}: ${list} ${what}`);
  if (!Array.isArray(value)) throw wrong('is not a list');
  for (const item of value as readonly unknown[]) {
    if (!isJsonObject(item) || typeof item['name'] !== 'string') throw wrong('has an entry without a name');
    const name = item['name'];
    if (entries.has(name)) throw wrong(`names "${name}" twice`);
    const body = item[field] ?? {};
    if (!isJsonObject(body)) throw wrong(`has no ${field} in "${name}"`);
    entries.set(name, { value: body, folder });
  }
  return entries;
}
