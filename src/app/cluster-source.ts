/**
 * Evaluates policies on the objects of a cluster. It only reads: objects of the kinds that the policies match, and what
 * their context entries look up. Loaded by commands with a cluster option.
 */
import { errorMessage, isAbort, systemClock } from '../base/index.ts';
import { matchesWildcard } from '../jmespath/index.ts';
import { isKubeError } from '../kube/index.ts';
import { type KubeObject, type LabelSelector, labelSelectorOf, parseApiVersion } from '../object/index.ts';
import {
  createAsyncOfflineEvaluator,
  type Finding,
  type FindingOptions,
  findingOf,
  givenNames,
  type PolicyApplication,
} from '../offline/index.ts';
import { type LookUp, type LookUpAnswer, shownNamespace } from '../policy/index.ts';
import { type CustomSchemas, createCustomSchemas } from '../runtime/index.ts';
import type { Connection } from './connect.ts';

export interface ClusterRun {
  readonly connection: Connection;
  readonly application: PolicyApplication;
  readonly findings: FindingOptions;
  /** All namespaces and cluster-scoped objects if undefined. */
  readonly namespace?: string | undefined;
  readonly onProgress?: ((resources: number) => void) | undefined;
  readonly signal: AbortSignal;
}

const namespaces = { group: '', version: 'v1', resource: 'namespaces', kind: 'Namespace', namespaced: false };
const configMaps = { group: '', version: 'v1', resource: 'configmaps', kind: 'ConfigMap', namespaced: true };

/** Evaluates page by page; one page is in memory at a time. */
export async function* applyToCluster(run: ClusterRun): AsyncGenerator<Finding> {
  const { connection, application, signal } = run;
  const known = new Map<string, KubeObject>();
  for await (const page of connection.client.pages<KubeObject>(namespaces, { signal }))
    for (const namespace of page.items) known.set(namespace.metadata.name ?? '', namespace);
  const { evaluatorOptions } = application;
  const { client, discovery } = connection;
  const schemas = createCustomSchemas({ client, discovery, clock: systemClock, timeoutMs: 10_000 });
  const evaluate = createAsyncOfflineEvaluator(
    {
      ...evaluatorOptions,
      given: givenNames({ configMap: true, apiCall: true, globalReference: false, imageRegistry: false }),
      namespaceLabels: (name) => evaluatorOptions.values.namespaceLabels(name) ?? known.get(name)?.metadata.labels,
      namespaceObject: (name) => evaluatorOptions.values.namespaceObject(name) ?? shownNamespace(known.get(name)),
    },
    (lookUp, ended) => resolveLookUp(connection, schemas, lookUp, ended),
  );
  let resources = 0;
  for (const type of await matchableTypes(run)) {
    const scope = type.namespaced && run.namespace !== undefined ? { namespace: run.namespace } : {};
    for await (const page of connection.client.pages(type, { ...scope, signal })) {
      for (const object of page.items) {
        const response = await evaluate(object, signal);
        yield findingOf({ response, file: fileOf(response.resource), line: 0, hasNamespace: true }, run.findings);
      }
      resources += page.items.length;
      run.onProgress?.(resources);
    }
  }
}

/** The place in the cluster replaces the file name. */
const fileOf = ({ kind, metadata: { namespace = 'cluster', name = '' } }: KubeObject) => `${namespace}/${kind}/${name}`;

/** Every kind that a rule can match, each in the preferred version of its group. */
async function matchableTypes({ connection, application, namespace, signal }: ClusterRun) {
  const rules = application.policies.programs.flatMap((program) => program.rules);
  const seen = new Set<string>();
  return (await connection.discovery.list({ signal })).filter((type) => {
    const { group, version, resource, kind } = type;
    if (!type.verbs.includes('list') || (namespace !== undefined && !type.namespaced)) return false;
    const key = `${group}/${resource}`;
    if (seen.has(key) || !rules.some((rule) => rule.mayMatchKind({ group, version, kind, resource }, ''))) return false;
    seen.add(key);
    return true;
  });
}

const missing = (message: string): LookUpAnswer => ({ ok: false, message });

async function resolveLookUp(
  connection: Connection,
  schemas: CustomSchemas,
  lookUp: LookUp,
  signal: AbortSignal,
): Promise<LookUpAnswer> {
  try {
    switch (lookUp.kind) {
      case 'configMap':
        return { ok: true, value: await connection.client.get(configMaps, lookUp, { signal }) };
      case 'apiCall':
        if (lookUp.method !== 'GET') return missing(`only GET is supported, not ${lookUp.method} ${lookUp.urlPath}`);
        return { ok: true, value: await read(connection, lookUp, signal) };
      case 'resources':
        return { ok: true, value: await find(connection, lookUp, signal) };
      case 'serviceCall':
        return missing(`services are not called from here: ${lookUp.url}`);
      case 'imageData':
        return missing(`image data is not looked up here: ${lookUp.reference}`);
      case 'globalContext':
        return missing(`global context entry ${lookUp.name} not found`);
      case 'namespace':
        return missing(`namespace ${lookUp.name} not found`);
      case 'schema':
        return { ok: true, value: await schemas.schemaOf(lookUp.apiVersion, lookUp.resourceKind, signal) };
      case 'resourceName':
        return await resourceName(connection, lookUp, signal);
    }
  } catch (thrown) {
    if (isAbort(thrown)) throw thrown;
    // A rejection by the server is a result; the rule decides what follows.
    return missing(errorMessage(thrown));
  }
}

async function read(
  { client }: Connection,
  { urlPath, asLibrary }: Extract<LookUp, { readonly kind: 'apiCall' }>,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return (await client.raw(urlPath, { signal })).value;
  } catch (thrown) {
    if (asLibrary && isKubeError(thrown, 'kube-not-found')) return null;
    throw thrown;
  }
}

async function resourceName(
  { discovery }: Connection,
  { apiVersion, resourceKind }: Extract<LookUp, { readonly kind: 'resourceName' }>,
  signal: AbortSignal,
): Promise<LookUpAnswer> {
  const type = await discovery.byKind({ ...parseApiVersion(apiVersion), kind: resourceKind }, { signal });
  if (!type) return missing(`the cluster does not serve ${apiVersion} ${resourceKind}`);
  return { ok: true, value: type.resource };
}

interface Wanted {
  readonly apiVersion: string;
  readonly resourceKind: string;
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly selector?: LabelSelector;
}

async function find(
  { client, discovery }: Connection,
  wanted: Wanted,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const gvk = { ...parseApiVersion(wanted.apiVersion), kind: wanted.resourceKind };
  const type = wanted.resource
    ? await discovery.byResource({ ...parseApiVersion(wanted.apiVersion), resource: wanted.resource }, { signal })
    : await discovery.byKind(wanted.apiVersion === '' ? wanted.resourceKind : gvk, { signal });
  if (!type) return [];
  const isPattern = (text: string | undefined) => text === undefined || /[*?]/.test(text);
  if (!isPattern(wanted.name) && (!type.namespaced || !isPattern(wanted.namespace))) {
    try {
      return [await client.get(type, { name: wanted.name!, namespace: wanted.namespace }, { signal })];
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return [];
      throw thrown;
    }
  }
  const selector = labelSelectorOf(wanted.selector ?? {});
  const scope = isPattern(wanted.namespace) ? {} : { namespace: wanted.namespace };
  const found: KubeObject[] = [];
  for await (const page of client.pages(type, { ...scope, signal }))
    found.push(...page.items.filter(({ metadata }) => selector(metadata.labels)));
  const isLike = (pattern: string | undefined, text = '') => pattern === undefined || matchesWildcard(pattern, text);
  return found.filter(
    ({ metadata }) => isLike(wanted.name, metadata.name) && isLike(wanted.namespace, metadata.namespace),
  );
}
