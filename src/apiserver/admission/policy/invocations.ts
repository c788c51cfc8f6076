import type { GroupVersionResource, KubeObject } from '../../../object/index.ts';
import type { Bindings } from '../../expressions/index.ts';
import type { Attributes } from '../attributes.ts';
import { bindingsOf } from '../bindings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Hook } from './hooks.ts';
import { matchPolicy } from './match.ts';
import { ConfigurationError, collectParams, type ParamSource, paramDefinition } from './params.ts';
import type { BindingSpec, PolicySpec } from './types.ts';

export interface PolicyEnvironment extends ClusterView {
  readonly params: ParamSource;
  readonly namespace: (name: string) => KubeObject | undefined;
}

/** One evaluation of a policy: for a request that it and a binding match, with one param or none. */
export interface Invocation<Policy, Binding> {
  readonly policy: Policy;
  readonly name: string;
  readonly binding: { readonly name: string; readonly spec: Binding };
  readonly param: KubeObject | null;
  /** The version in which the policy wants the request. */
  readonly resource: GroupVersionResource;
}

/** A policy, or a binding of it, that cannot be evaluated as it is configured. */
interface Misconfigured {
  readonly name: string;
  readonly binding?: string;
  readonly message: string;
}

/** The evaluations of a policy that a request needs; what is configured wrongly is told in between. */
export function invocationsOf<Policy extends { readonly spec: PolicySpec }, Binding extends BindingSpec>(
  { name, policy, bindings }: Hook<Policy, Binding>,
  attributes: Attributes,
  environment: PolicyEnvironment,
): readonly (Invocation<Policy, Binding> | Misconfigured)[] {
  const { matchConstraints, paramKind } = policy.spec;
  const resource = matchPolicy(matchConstraints, attributes, environment);
  if (!resource) return [];
  const kind = configured(() => paramDefinition(paramKind, environment.params));
  if ('error' in kind) return [{ name, message: `failed to configure policy: ${kind.error}` }];
  return bindings.flatMap((binding): readonly (Invocation<Policy, Binding> | Misconfigured)[] => {
    const { matchResources, paramRef } = binding.spec;
    if (matchResources && !matchPolicy(matchResources, attributes, environment)) return [];
    const params = configured(() => collectParams(kind.value, paramRef, attributes.namespace, environment.params));
    if ('error' in params) {
      return [{ name, binding: binding.name, message: `failed to configure binding: ${params.error}` }];
    }
    return params.value.map((param) => ({ policy, name, binding, param, resource }));
  });
}

function configured<T>(find: () => T): { readonly value: T } | { readonly error: string } {
  try {
    return { value: find() };
  } catch (thrown) {
    if (thrown instanceof ConfigurationError) return { error: thrown.message };
    throw thrown;
  }
}

/** What expressions see of a request in the version that the policy wants, without its param. */
export function requestBindings(
  attributes: Attributes,
  resource: GroupVersionResource,
  environment: PolicyEnvironment,
): Bindings {
  const inVersion = (object: KubeObject | undefined) => object && environment.convert(object, resource);
  const bindings = bindingsOf({
    attributes,
    resource,
    kind: environment.kindOf(resource, attributes.subresource),
    object: inVersion(attributes.object),
    oldObject: inVersion(attributes.oldObject),
  });
  const isNamespace = attributes.resource.group === '' && attributes.resource.resource === 'namespaces';
  const namespace =
    isNamespace || attributes.namespace === '' ? undefined : environment.namespace(attributes.namespace);
  return namespace ? { ...bindings, namespaceObject: namespace } : bindings;
}

/** Policies and their bindings are no subject of policies. */
export function isPolicy({ group, resource }: GroupVersionResource): boolean {
  return group === 'admissionregistration.k8s.io' && resource.includes('admissionpolic');
}

/** The name of an object in messages, before one is generated. */
export function nameOf({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
