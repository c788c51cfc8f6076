import type { PullSecretRef } from '../api/index.ts';
import { type Clock, type Logger, SupercargoError } from '../base/index.ts';
import { matchesWildcard } from '../jmespath/index.ts';
import {
  type Discovery,
  type InformerFactory,
  isKubeError,
  type KubeConnection,
  type ListOptions,
} from '../kube/index.ts';
import { type KubeObject, type LabelSelector, labelSelectorOf, parseApiVersion } from '../object/index.ts';
import type { LookUp, LookUpAnswer } from '../policy/index.ts';
import { type ConfigMaps, createConfigMaps } from './config-maps.ts';
import { type LookUpRules, lookUpRefusal, resourceRefusal, strictLookUpRules } from './confinement.ts';
import { createCustomSchemas } from './custom-schemas.ts';
import type { LookUps } from './evaluate.ts';
import { createGlobalContext, type GlobalContext } from './global-context.ts';
import { createNamespaceObjects } from './namespace-objects.ts';
import { callService, type ServiceCallLimits } from './service-call.ts';

class LookUpError extends SupercargoError {}

/** Returns the data of an image in a registry that policies can read; provided if there is a registry client. */
export type ImageData = (
  reference: string,
  options: {
    readonly credentials: unknown;
    /** Pull secrets of the Pod that uses the image, for a registry that requires credentials. */
    readonly pullSecrets?: readonly PullSecretRef[] | undefined;
    readonly signal: AbortSignal;
  },
) => Promise<unknown>;

interface LookUpsOptions {
  readonly client: KubeConnection;
  readonly discovery: Discovery;
  /** For GlobalContextEntries; without them there are none. */
  readonly informers?: InformerFactory | undefined;
  readonly clock: Clock;
  readonly log: Logger;
  readonly imageData?: ImageData | undefined;
  /** The version that a watch has of a namespace; without it, a namespace is read whenever a policy asks for it. */
  readonly namespaceVersion?: ((name: string) => string | undefined) | undefined;
  readonly rules?: LookUpRules | undefined;
  readonly limits?: Partial<LookUpLimits>;
}

interface LookUpLimits extends ServiceCallLimits {
  /** Objects that one look-up may return. */
  readonly maxObjects: number;
}

/** Look-ups in a live cluster; their watches run until `run` ends. */
export interface LiveLookUps extends LookUps {
  readonly globalContext: GlobalContext | undefined;
  ready(lookUp: LookUp): LookUpAnswer | undefined;
  run(signal: AbortSignal): Promise<void>;
}

const defaults: LookUpLimits = {
  timeoutMs: 5_000,
  maxResponseBytes: 8 << 20,
  maxObjects: 5_000,
  allowAnyAddress: false,
  httpPrivateAddresses: false,
};

/** Without our secrets and cloud identity: a namespaced policy may only read images that are public. */
const anonymous = { providers: ['none'] };

type Of<Kind extends LookUp['kind']> = Extract<LookUp, { readonly kind: Kind }>;

export function createLookUps(options: LookUpsOptions): LiveLookUps {
  const { client, imageData, rules = strictLookUpRules } = options;
  const limits = { ...defaults, ...options.limits };
  const configMaps: ConfigMaps = createConfigMaps(options);
  const namespaceObjects = createNamespaceObjects({ client, versionOf: options.namespaceVersion });
  const schemas = createCustomSchemas({ ...options, timeoutMs: limits.timeoutMs });
  const fetchValue = async (lookUp: LookUp, signal: AbortSignal): Promise<unknown> => {
    switch (lookUp.kind) {
      case 'configMap':
        return configMaps.get(lookUp, signal);
      case 'apiCall':
        return callApi(client, lookUp, limits, signal);
      case 'serviceCall':
        return callService(lookUp, limits, signal);
      case 'resources':
        return findResources(options, lookUp, limits, signal);
      case 'imageData':
        if (!imageData)
          throw new LookUpError(
            'look-up-image',
            `image data is not available without a registry client: ${lookUp.reference}`,
          );
        return imageData(lookUp.reference, {
          credentials: lookUp.policyNamespace === undefined ? lookUp.credentials : anonymous,
          pullSecrets: lookUp.policyNamespace === undefined ? lookUp.pullSecrets : undefined,
          signal,
        });
      case 'namespace':
        return namespaceObjects.get(lookUp.name, AbortSignal.any([signal, AbortSignal.timeout(limits.timeoutMs)]));
      case 'schema':
        return schemas.schemaOf(lookUp.apiVersion, lookUp.resourceKind, signal);
      case 'resourceName':
        return resourceName(options, lookUp, signal);
      case 'globalContext':
        return readGlobal(globalContext, lookUp, limits, signal);
    }
  };
  const allowed = async (lookUp: LookUp, signal: AbortSignal): Promise<unknown> => {
    checkAllowed(lookUp, rules);
    return fetchValue(lookUp, signal);
  };
  /** Undefined for what must be fetched: only what watches keep for all policies alike is read at once. */
  const stored = (lookUp: LookUp): unknown => {
    if (lookUp.kind === 'configMap') return configMaps.stored(lookUp);
    return lookUp.kind === 'namespace' ? namespaceObjects.stored(lookUp.name) : undefined;
  };
  const { informers } = options;
  const globalContext =
    informers &&
    createGlobalContext({
      ...options,
      informers,
      call: allowed,
      maxObjects: limits.maxObjects,
      maxBytes: limits.maxResponseBytes * 4,
    });
  return {
    globalContext,
    answer: async (lookUp, signal) => ({ ok: true, value: await allowed(lookUp, signal) }),
    ready(lookUp) {
      checkAllowed(lookUp, rules);
      const value = stored(lookUp);
      return value === undefined ? undefined : { ok: true, value };
    },
    async run(signal) {
      await Promise.all([configMaps.run(signal), globalContext?.run(signal)]);
    },
  };
}

/** Before anything is read, from a watch or the API server. */
function checkAllowed(lookUp: LookUp, rules: LookUpRules): void {
  const refusal = lookUpRefusal(lookUp, rules);
  if (refusal !== undefined) throw new LookUpError('look-up-refused', refusal);
}

/** Rules name a projection behind a dot; functions of CEL name it apart, and get null for an entry that is not there. */
async function readGlobal(
  globalContext: GlobalContext | undefined,
  { name, projection = '', asLibrary }: Of<'globalContext'>,
  { timeoutMs }: LookUpLimits,
  signal: AbortSignal,
): Promise<unknown> {
  if (!globalContext) throw new LookUpError('look-up-global', `global context entries are not available: ${name}`);
  const [entry = '', inName = ''] = asLibrary ? [name] : name.split('.');
  const until = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const found = await globalContext.read(entry, asLibrary ? projection : inName, until);
  if (found) return found.value;
  if (asLibrary) return null;
  throw new LookUpError('look-up-global', `global context entry ${entry} not found`);
}

async function callApi(
  client: KubeConnection,
  { method, urlPath, data, asLibrary }: Of<'apiCall'>,
  { maxResponseBytes }: LookUpLimits,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    const response = await client.raw(urlPath, {
      signal,
      maxResponseBytes,
      ...(method === 'POST' ? { post: data ?? {} } : {}),
    });
    return response.value;
  } catch (thrown) {
    if (asLibrary && method === 'GET' && isKubeError(thrown, 'kube-not-found')) return null;
    throw thrown;
  }
}

async function resourceName(
  { discovery }: LookUpsOptions,
  { apiVersion, resourceKind }: Of<'resourceName'>,
  signal: AbortSignal,
): Promise<string> {
  const type = await discovery.byKind(`${apiVersion}/${resourceKind}`, { signal });
  if (!type) throw new LookUpError('look-up-kind', `the cluster does not serve ${apiVersion} ${resourceKind}`);
  return type.resource;
}

/** Objects by kind, name (may have wildcards), namespace and labels. An object that does not exist is not an error. */
async function findResources(
  { client, discovery }: LookUpsOptions,
  { apiVersion, resourceKind, resource, namespace, name, selector, policyNamespace }: Of<'resources'>,
  { maxObjects }: LookUpLimits,
  signal: AbortSignal,
): Promise<readonly KubeObject[]> {
  const type = resource
    ? await discovery.byResource({ ...parseApiVersion(apiVersion), resource }, { signal })
    : await discovery.byKind(apiVersion ? `${apiVersion}/${resourceKind}` : resourceKind, { signal });
  const wanted = resource ?? resourceKind;
  if (!type) throw new LookUpError('look-up-kind', `the cluster does not serve ${apiVersion} ${wanted}`);
  const refusal = resourceRefusal(type, policyNamespace);
  if (refusal !== undefined) throw new LookUpError('look-up-refused', refusal);
  const isWild = (text: string) => text.includes('*') || text.includes('?');
  const where = type.namespaced && namespace && !isWild(namespace) ? { namespace } : {};
  const matchesLabels = selector ? labelSelectorOf(selector as LabelSelector) : () => true;
  if (name && !isWild(name) && (!type.namespaced || 'namespace' in where)) {
    try {
      const found = await client.get<KubeObject>(type, { name, ...where }, { signal });
      return matchesLabels(found.metadata.labels) ? [found] : [];
    } catch (thrown) {
      if (isKubeError(thrown, 'kube-not-found')) return [];
      throw thrown;
    }
  }
  const listing: ListOptions = {
    ...where,
    signal,
    ...(name && !isWild(name) ? { fieldSelector: `metadata.name=${name}` } : {}),
  };
  const found: KubeObject[] = [];
  for await (const page of client.pages<KubeObject>(type, listing)) {
    if (page.startsOver) found.length = 0;
    for (const object of page.items) {
      if (!matchesLabels(object.metadata.labels)) continue;
      if (name && !matchesWildcard(name, object.metadata.name ?? '')) continue;
      if (type.namespaced && namespace && !matchesWildcard(namespace, object.metadata.namespace ?? '')) continue;
      found.push(object);
      if (found.length > maxObjects)
        throw new LookUpError('look-up-too-many', `more than ${maxObjects} objects of the kind ${wanted} match`);
    }
  }
  return found;
}
