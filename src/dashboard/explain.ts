import { type Discovery, isKubeError, type KubeClient, type ResourceType } from '../kube/index.ts';
import { type KubeObject, parseApiVersion } from '../object/index.ts';
import { celPolicyTypes, policyTypes } from '../runtime/index.ts';
import type { Viewer } from './access.ts';
import { exceptionsOf } from './explain-exceptions.ts';
import { createTurns } from './explain-turns.ts';
import { HttpError } from './http.ts';
import type { ExplainAnswer } from './protocol.ts';
import { InvalidQuery, type Query } from './query.ts';

/** What is needed to evaluate one policy on one object. */
export interface ExplainSubject {
  readonly policy: KubeObject;
  readonly rule: string;
  readonly object: KubeObject;
  readonly type: ResourceType;
  /** Absent for objects without namespace, or if it cannot be read. */
  readonly namespace: KubeObject | undefined;
  /** Those that name the policy; undefined if they cannot be read. */
  readonly exceptions: readonly KubeObject[] | undefined;
  /** The exceptions are those that the user may list: there may be more. */
  readonly exceptionsAreSome: boolean;
}

/** Evaluates the policy without look-ups; undefined if the policy has no such rule. */
export type ExplainRule = (
  subject: ExplainSubject,
  signal: AbortSignal,
) => Promise<Pick<ExplainAnswer, 'result' | 'message' | 'tree'> | undefined>;

interface ExplainOptions {
  readonly client: Pick<KubeClient, 'list'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
  readonly explainRule: ExplainRule;
  readonly deadlineMs?: number;
}

const namespaces: ResourceType = {
  group: '',
  version: 'v1',
  resource: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
};

/** The requests of one user wait for each other: their processor time is one evaluation at a time. */
const limits = { maxOfKey: 4, maxKeys: 4 };

/**
 * Answers of GET /api/explain: the policy and the object are read for the request, and only if the user may get both.
 * What the user may not get is as if it did not exist.
 */
export function createExplain(
  options: ExplainOptions,
): (query: Query, viewer: Viewer, signal: AbortSignal) => Promise<ExplainAnswer | undefined> {
  const { deadlineMs = 2_000 } = options;
  const turns = createTurns(limits);
  return (query, viewer, signal) => {
    const wanted = wantedBy(query);
    return turns.run(`${viewer.method} ${viewer.user}`, async () => {
      const deadline = AbortSignal.timeout(deadlineMs);
      try {
        const answer = await explain(wanted, viewer, options, AbortSignal.any([signal, deadline]));
        deadline.throwIfAborted();
        return answer;
      } catch (thrown) {
        if (deadline.aborted && !(thrown instanceof HttpError))
          throw new HttpError('unavailable', 'the explanation takes too long', { 'retry-after': '5' });
        throw thrown;
      }
    });
  };
}

interface Wanted {
  readonly policy: string;
  readonly rule: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

function wantedBy(query: Query): Wanted {
  const required = (name: string) => {
    const value = query.text(name);
    if (value === undefined) throw new InvalidQuery(`${name} is missing`);
    return value;
  };
  return {
    policy: required('policy'),
    rule: query.text('rule') ?? '',
    apiVersion: required('apiVersion'),
    kind: required('kind'),
    namespace: query.text('namespace') ?? '',
    name: required('name'),
  };
}

async function explain(
  { policy: key, rule, apiVersion, kind, namespace, name }: Wanted,
  viewer: Viewer,
  { client, discovery, explainRule }: ExplainOptions,
  signal: AbortSignal,
): Promise<ExplainAnswer | undefined> {
  const place = policyPlace(key);
  if (!place || !viewer.sees.sees('policyreports', namespace)) return undefined;
  const type = await discovery.byKind({ ...parseApiVersion(apiVersion), kind }, { signal });
  if (!type || isSecret(type) || type.namespaced !== (namespace !== '')) return undefined;
  const reading: Reading = { client, viewer, signal };
  const object = await readFor(reading, type, namespace, name);
  const policy = object && (await readFor(reading, place.type, place.namespace, place.name));
  if (!policy) return undefined;
  const [read, exceptions] = await Promise.all([
    namespace === '' ? undefined : readOwn(client, namespaces, '', namespace, signal),
    exceptionsOf(client, policy, signal),
  ]);
  // The tree names them, with what they say.
  const exceptionsAreSome = !viewer.sees.everywhere.has('policyreports');
  const shown = exceptions?.filter(({ metadata }) => viewer.sees.sees('policyreports', metadata.namespace ?? ''));
  const subject = { policy, rule, object, type, namespace: read, exceptions: shown, exceptionsAreSome };
  const explained = await explainRule(subject, signal);
  return explained && { policy: key, rule, ...explained };
}

/** Explanations show values of the object: those of Secrets are shown to nobody. */
const isSecret = ({ group, resource }: ResourceType) => group === '' && resource === 'secrets';

/** The policy that results name so: `name`, `namespace/name`, or either with the kind before it. */
function policyPlace(
  key: string,
): { readonly type: ResourceType; readonly namespace: string; readonly name: string } | undefined {
  const parts = key.split('/');
  if (parts.includes('')) return undefined;
  const cel = celPolicyTypes.find(({ kind }) => kind === parts[0]);
  const [first = '', second = '', ...more] = cel ? parts.slice(1) : parts;
  const isNamespaced = second !== '';
  if (first === '' || more.length > 0 || (cel && cel.namespaced !== isNamespaced)) return undefined;
  const type = cel ?? (isNamespaced ? policyTypes.policy : policyTypes.clusterPolicy);
  return isNamespaced ? { type, namespace: first, name: second } : { type, namespace: '', name: first };
}

interface Reading {
  readonly client: ExplainOptions['client'];
  readonly viewer: Viewer;
  readonly signal: AbortSignal;
}

async function readFor(
  { client, viewer, signal }: Reading,
  type: ResourceType,
  namespace: string,
  name: string,
): Promise<KubeObject | undefined> {
  if (!namePattern.test(name) || (namespace !== '' && !namePattern.test(namespace))) return undefined;
  const { group, resource } = type;
  if (!(await viewer.mayGet({ group, resource, name, ...(namespace === '' ? {} : { namespace }) }, signal)))
    throw new HttpError('forbidden', `you may not get ${resource} ${namespace === '' ? '' : `${namespace}/`}${name}`);
  try {
    return await find(client, type, namespace, name, signal);
  } catch (thrown) {
    if (isKubeError(thrown, 'kube-not-found')) return undefined;
    if (isKubeError(thrown, 'kube-forbidden'))
      throw new HttpError('forbidden', `the dashboard may not list ${resource}`);
    throw thrown;
  }
}

/** It must not reach the field selector as more than a name. */
const namePattern = /^[A-Za-z0-9][A-Za-z0-9:._-]*$/;

/** Read with the right to list, which the dashboard has for what it shows. */
async function find(
  client: ExplainOptions['client'],
  type: ResourceType,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { items } = await client.list<KubeObject>(type, {
    ...(type.namespaced ? { namespace } : {}),
    fieldSelector: `metadata.name=${name}`,
    limit: 1,
    signal,
  });
  return items.find(({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace);
}

/** Undefined if it cannot be read. */
const readOwn = (...place: Parameters<typeof find>) =>
  find(...place).catch((thrown: unknown) => {
    if (isKubeError(thrown, 'kube-forbidden') || isKubeError(thrown, 'kube-not-found')) return undefined;
    throw thrown;
  });
