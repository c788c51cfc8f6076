import type { JsonObject, Logger } from '../base/index.ts';
import { type Informer, type InformerFactory, isLasting, type ResourceType } from '../kube/index.ts';
import { type KubeObject, keyOf, type LabelMatcher } from '../object/index.ts';
import {
  compileException,
  confineException,
  type ExceptionProgram,
  type PolicyIssue,
  type PolicyProgram,
} from '../policy/index.ts';
import { createPolicySet, type PolicySet } from './policy-set.ts';
import { createRevisionCompiler } from './revision-compiler.ts';

const typeIn = (group: string, version: string, resource: string, kind: string, namespaced: boolean): ResourceType => ({
  group,
  version,
  resource,
  kind,
  namespaced,
});

export const policyTypes = {
  clusterPolicy: typeIn('kyverno.io', 'v1', 'clusterpolicies', 'ClusterPolicy', false),
  policy: typeIn('kyverno.io', 'v1', 'policies', 'Policy', true),
  exception: typeIn('kyverno.io', 'v2', 'policyexceptions', 'PolicyException', true),
} as const;

const celGroup = 'policies.kyverno.io';

/** Those that delete objects at certain times. Requests and reports are not about them. */
export const deletingPolicyTypes: readonly ResourceType[] = [
  typeIn(celGroup, 'v1', 'deletingpolicies', 'DeletingPolicy', false),
  typeIn(celGroup, 'v1', 'namespaceddeletingpolicies', 'NamespacedDeletingPolicy', true),
];

/** Policies that consist of expressions. */
export const celPolicyTypes: readonly ResourceType[] = [
  typeIn(celGroup, 'v1', 'validatingpolicies', 'ValidatingPolicy', false),
  typeIn(celGroup, 'v1', 'namespacedvalidatingpolicies', 'NamespacedValidatingPolicy', true),
  typeIn(celGroup, 'v1', 'mutatingpolicies', 'MutatingPolicy', false),
  typeIn(celGroup, 'v1', 'namespacedmutatingpolicies', 'NamespacedMutatingPolicy', true),
  typeIn(celGroup, 'v1', 'generatingpolicies', 'GeneratingPolicy', false),
  typeIn(celGroup, 'v1', 'namespacedgeneratingpolicies', 'NamespacedGeneratingPolicy', true),
  ...deletingPolicyTypes,
];

export const celExceptionType = typeIn(celGroup, 'v1', 'policyexceptions', 'PolicyException', true);

/** The type of a policy object of the cluster. */
export function typeOfPolicy({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): ResourceType {
  if (!apiVersion.startsWith(`${celGroup}/`)) return kind === 'Policy' ? policyTypes.policy : policyTypes.clusterPolicy;
  return celPolicyTypes.find((type) => type.kind === kind) ?? policyTypes.clusterPolicy;
}

/** A policy object of the cluster, whether or not it can run. */
export interface LivePolicy {
  readonly object: KubeObject;
  /** As that of its program. */
  readonly key: string;
  /** Absent when an issue is an error: such a policy is not evaluated. */
  readonly program: PolicyProgram | undefined;
  readonly issues: readonly PolicyIssue[];
}

export type PolicyChange =
  /** The spec, or metadata that the evaluation depends on, changed. */
  | { readonly type: 'policy'; readonly before: LivePolicy | undefined; readonly after: LivePolicy | undefined }
  | { readonly type: 'exceptions' };

/** The compiled policies of the cluster, kept current by informers; each revision of a policy is compiled once. */
export interface LivePolicies {
  readonly current: PolicySet;
  readonly all: readonly LivePolicy[];
  /** By key, whether or not it can run. */
  get(key: string): LivePolicy | undefined;
  readonly hasSynced: boolean;
  /** Whether a policy with these labels is selected by the configuration. */
  selects(labels: Readonly<Record<string, string>> | undefined): boolean;
  /** What is wrong with a policy that is about to be written. */
  check(policy: JsonObject): readonly PolicyIssue[];
  /** Calls the listener after every change; returns the function that unsubscribes. */
  subscribe(listener: (change: PolicyChange) => void): () => void;
}

interface LivePoliciesOptions {
  readonly informers: InformerFactory;
  /** Policies whose labels do not match are ignored; absent: all policies are used. */
  readonly selector?: LabelMatcher | undefined;
  /** Namespaces whose exceptions apply to every policy, `*` for all; other exceptions apply to Policies of their namespace. */
  readonly exceptionNamespaces?: readonly string[] | undefined;
  readonly log: Logger;
}

export function createLivePolicies({
  informers,
  selector,
  exceptionNamespaces = [],
  log,
}: LivePoliciesOptions): LivePolicies {
  const policies = new Map<string, LivePolicy>();
  const revisions = createRevisionCompiler();
  const exceptions = new Map<string, ExceptionProgram>();
  const listeners = new Set<(change: PolicyChange) => void>();
  let set: PolicySet | undefined;
  const notify = (change: PolicyChange) => {
    set = undefined;
    for (const listener of [...listeners]) listener(change);
  };

  const put = (object: KubeObject): void => {
    const id = policyKey(object);
    const before = policies.get(id);
    if (selector && !selector(object.metadata.labels ?? {})) {
      remove(id);
      return;
    }
    // Compiling is expensive: a status update must not cause it.
    if (before && isSameRevision(before.object, object)) return;
    const after: LivePolicy = { object, key: id, ...revisions.compile(object) };
    policies.set(id, after);
    for (const issue of after.issues.filter(({ severity }) => severity === 'error'))
      log.warn('policy cannot run', { policy: id, code: issue.code, path: issue.path, issue: issue.message });
    notify({ type: 'policy', before, after });
  };
  const remove = (id: string): void => {
    const before = policies.get(id);
    if (policies.delete(id)) notify({ type: 'policy', before, after: undefined });
  };
  const putException = (object: KubeObject): void => {
    const { program, issues } = compileException(object);
    const { namespace = 'default', deletionTimestamp } = object.metadata;
    // An exception ends when it is deleted: a finalizer must not keep it in force.
    const id = exceptionKey(object);
    if (deletionTimestamp !== undefined) exceptions.delete(id);
    else if (program)
      exceptions.set(
        id,
        exceptionsCountForAll(exceptionNamespaces, namespace) ? program : confineException(program, namespace),
      );
    else {
      exceptions.delete(id);
      log.warn('policy exception cannot be used', { exception: keyOf(object), issue: issues[0]?.message });
    }
    notify({ type: 'exceptions' });
  };

  const follow = (type: ResourceType, isOptional = false): Informer<KubeObject> => {
    const informer = informers.for<KubeObject>(type, { isOptional });
    informer.addHandler({
      onAdd: ({ stored }) => put(stored),
      onUpdate: ({ stored }) => put(stored),
      onDelete: ({ stored }) => remove(policyKey(stored)),
    });
    return informer;
  };
  const followExceptions = (type: ResourceType, isOptional = false): Informer<KubeObject> => {
    const informer = informers.for<KubeObject>(type, { isOptional });
    informer.addHandler({
      onAdd: ({ stored }) => putException(stored),
      onUpdate: ({ stored, previous }) => {
        if (stored.metadata.generation === undefined || !isSameException(stored, previous)) putException(stored);
      },
      onDelete: ({ stored }) => {
        if (exceptions.delete(exceptionKey(stored))) notify({ type: 'exceptions' });
      },
    });
    return informer;
  };
  const required = [
    follow(policyTypes.clusterPolicy),
    follow(policyTypes.policy),
    followExceptions(policyTypes.exception),
  ];
  // With definitions or roles that are older than the program, it goes on with the kinds it has.
  const optional = [...celPolicyTypes.map((type) => follow(type, true)), followExceptions(celExceptionType, true)];

  return {
    get current() {
      set ??= createPolicySet(
        [...policies.values()].flatMap(({ program, object }) =>
          program && object.metadata.deletionTimestamp === undefined ? [program] : [],
        ),
        [...exceptions.values()],
      );
      return set;
    },
    get all() {
      return [...policies.values()];
    },
    get: (key) => policies.get(key),
    get hasSynced() {
      return (
        required.every((informer) => informer.hasSynced) &&
        optional.every((informer) => informer.hasSynced || isLasting(informer.failing?.code))
      );
    },
    selects: (labels) => !selector || selector(labels ?? {}),
    check: (policy) => revisions.check(policy),
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function isSameException({ metadata: a }: KubeObject, { metadata: b }: KubeObject): boolean {
  return a.generation === b.generation && a.deletionTimestamp === b.deletionTimestamp;
}

/** Whether exceptions of a namespace apply to ClusterPolicies and to Policies of other namespaces. */
export function exceptionsCountForAll(exceptionNamespaces: readonly string[], namespace: string): boolean {
  return exceptionNamespaces.includes('*') || exceptionNamespaces.includes(namespace);
}

/** The parts of a policy's key: what it is, where and how it is called. Undefined for what is no such key. */
export function parsePolicyKey(
  key: string,
): { readonly type: ResourceType; readonly namespace: string | undefined; readonly name: string } | undefined {
  const parts = key.split('/');
  // Names and namespaces are in lower case: none is taken for a kind.
  const ofExpressions = celPolicyTypes.find(({ kind }) => kind === parts[0]);
  const classic = parts.length === 1 ? policyTypes.clusterPolicy : policyTypes.policy;
  const type = ofExpressions ?? classic;
  const [name = '', namespace, ...more] = (ofExpressions ? parts.slice(1) : parts).reverse();
  const isKey = name !== '' && namespace !== '' && more.length === 0 && (namespace !== undefined) === type.namespaced;
  return isKey ? { type, namespace, name } : undefined;
}

/** As programs have it. */
function policyKey({ apiVersion, kind, metadata }: KubeObject): string {
  const { name = '', namespace = 'default' } = metadata;
  const isNamespaced = kind === 'Policy' || kind.startsWith('Namespaced');
  const shown = isNamespaced ? `${namespace}/${name}` : name;
  return apiVersion.startsWith(`${celGroup}/`) ? `${kind}/${shown}` : shown;
}

const exceptionKey = (exception: KubeObject) => `${exception.apiVersion.split('/')[0]}/${keyOf(exception)}`;

/** Spec, annotations (autogen, scored, …) and labels change what a policy does; its status does not. */
function isSameRevision(a: KubeObject, b: KubeObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.generation !== undefined &&
    a.metadata.generation === b.metadata.generation &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    JSON.stringify(a.metadata.annotations ?? {}) === JSON.stringify(b.metadata.annotations ?? {}) &&
    JSON.stringify(a.metadata.labels ?? {}) === JSON.stringify(b.metadata.labels ?? {})
  );
}
