import type { Logger } from '../base/index.ts';
import type { Informer, InformerFactory, ResourceType } from '../kube/index.ts';
import { type KubeObject, keyOf, type LabelMatcher } from '../object/index.ts';
import {
  compileException,
  compilePolicy,
  confineException,
  type ExceptionProgram,
  type PolicyIssue,
  type PolicyObject,
  type PolicyProgram,
} from '../policy/index.ts';
import { createPolicySet, type PolicySet } from './policy-set.ts';

const kyverno = (version: string, resource: string, kind: string, namespaced: boolean): ResourceType => ({
  group: 'kyverno.io',
  version,
  resource,
  kind,
  namespaced,
});

export const policyTypes = {
  clusterPolicy: kyverno('v1', 'clusterpolicies', 'ClusterPolicy', false),
  policy: kyverno('v1', 'policies', 'Policy', true),
  exception: kyverno('v2', 'policyexceptions', 'PolicyException', true),
} as const;

/** A policy object of the cluster, whether or not it can run. */
export interface LivePolicy {
  readonly object: PolicyObject;
  /** `name`, or `namespace/name` for a Policy. */
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
  const exceptions = new Map<string, ExceptionProgram>();
  const listeners = new Set<(change: PolicyChange) => void>();
  let set: PolicySet | undefined;
  const notify = (change: PolicyChange) => {
    set = undefined;
    for (const listener of [...listeners]) listener(change);
  };

  const put = (object: PolicyObject): void => {
    const id = policyKey(object);
    const before = policies.get(id);
    if (selector && !selector(object.metadata.labels ?? {})) {
      remove(id);
      return;
    }
    // Compiling is expensive: a status update must not cause it.
    if (before && isSameRevision(before.object, object)) return;
    const after: LivePolicy = { object, key: id, ...compilePolicy(object) };
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
    if (deletionTimestamp !== undefined) exceptions.delete(keyOf(object));
    else if (program)
      exceptions.set(
        keyOf(object),
        exceptionsCountForAll(exceptionNamespaces, namespace) ? program : confineException(program, namespace),
      );
    else {
      exceptions.delete(keyOf(object));
      log.warn('policy exception cannot be used', { exception: keyOf(object), issue: issues[0]?.message });
    }
    notify({ type: 'exceptions' });
  };

  const policyInformers: Informer<KubeObject>[] = [policyTypes.clusterPolicy, policyTypes.policy].map((type) => {
    const informer = informers.for<PolicyObject>(type);
    informer.addHandler({
      onAdd: ({ stored }) => put(stored),
      onUpdate: ({ stored }) => put(stored),
      onDelete: ({ stored }) => remove(policyKey(stored)),
    });
    return informer as unknown as Informer<KubeObject>;
  });
  const exceptionInformer = informers.for<KubeObject>(policyTypes.exception);
  exceptionInformer.addHandler({
    onAdd: ({ stored }) => putException(stored),
    onUpdate: ({ stored, previous }) => {
      if (stored.metadata.generation === undefined || !isSameException(stored, previous)) putException(stored);
    },
    onDelete: ({ stored }) => {
      if (exceptions.delete(keyOf(stored))) notify({ type: 'exceptions' });
    },
  });
  policyInformers.push(exceptionInformer);

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
      return policyInformers.every((informer) => informer.hasSynced);
    },
    selects: (labels) => !selector || selector(labels ?? {}),
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

function policyKey({ kind, metadata }: Pick<KubeObject, 'kind' | 'metadata'>): string {
  return kind === 'Policy' ? `${metadata.namespace ?? 'default'}/${metadata.name}` : (metadata.name ?? '');
}

/** Spec, annotations (autogen, scored, …) and labels change what a policy does; its status does not. */
function isSameRevision(a: PolicyObject, b: PolicyObject): boolean {
  return (
    a.metadata.uid === b.metadata.uid &&
    a.metadata.generation !== undefined &&
    a.metadata.generation === b.metadata.generation &&
    a.metadata.deletionTimestamp === b.metadata.deletionTimestamp &&
    JSON.stringify(a.metadata.annotations ?? {}) === JSON.stringify(b.metadata.annotations ?? {}) &&
    JSON.stringify(a.metadata.labels ?? {}) === JSON.stringify(b.metadata.labels ?? {})
  );
}
