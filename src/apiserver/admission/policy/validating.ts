import type { GroupVersionResource, KubeObject } from '../../../object/index.ts';
import { forbidden } from '../../operations/errors.ts';
import { StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import { bindingsOf } from '../bindings.ts';
import type { ClusterView } from '../cluster-view.ts';
import type { Hook } from './hooks.ts';
import { matchPolicy } from './match.ts';
import { ConfigurationError, collectParams, type ParamSource, paramDefinition } from './params.ts';
import type { ValidatingBindingSpec } from './types.ts';
import { type Decision, judge, type ValidatingPolicy } from './validator.ts';

export interface PolicyEnvironment extends ClusterView {
  readonly params: ParamSource;
  readonly namespace: (name: string) => KubeObject | undefined;
}

type ValidatingHook = Hook<ValidatingPolicy, ValidatingBindingSpec>;

/** Evaluates the ValidatingAdmissionPolicies of the cluster; throws the first denial. */
export function validateByPolicies(
  hooks: readonly ValidatingHook[],
  attributes: Attributes,
  environment: PolicyEnvironment,
): void {
  if (hooks.length === 0 || isPolicy(attributes.resource)) return;
  let first: StatusError | undefined;
  for (const hook of hooks) {
    const deny = (decision: Decision, binding?: string) => {
      first ??= denial(attributes, hook.name, binding, decision);
    };
    evaluate(hook, attributes, environment, deny);
  }
  if (first) throw first;
}

/** Policies and their bindings are no subject of policies. */
function isPolicy({ group, resource }: GroupVersionResource): boolean {
  return group === 'admissionregistration.k8s.io' && resource.includes('admissionpolic');
}

function evaluate(
  { name, policy, bindings }: ValidatingHook,
  attributes: Attributes,
  environment: PolicyEnvironment,
  deny: (decision: Decision, binding?: string) => void,
): void {
  const resource = matchPolicy(policy.spec.matchConstraints, attributes, environment);
  if (!resource) return;
  const kind = configured(
    policy,
    () => paramDefinition(policy.spec.paramKind, environment.params),
    (why) => deny({ message: `failed to configure policy: ${why}` }),
  );
  if (!kind) return;
  let request: ReturnType<typeof bindingsOf> | undefined;
  for (const { name: binding, spec } of bindings) {
    if (spec.matchResources && !matchPolicy(spec.matchResources, attributes, environment)) continue;
    const params = configured(
      policy,
      () => collectParams(kind.value, spec.paramRef, attributes.namespace, environment.params),
      (why) => deny({ message: `failed to configure binding: ${why}` }, binding),
    );
    for (const param of params?.value ?? []) {
      request ??= requestBindings(attributes, resource, environment);
      const { denials, failures } = judge(policy, { ...request, params: param });
      for (const decision of denials) act(decision, spec, { policy: name, binding }, attributes, deny);
      for (const decision of failures) deny(decision, binding);
    }
  }
}

/** What a policy's configuration gives; undefined where it is wrong, which refuses the request unless failures are ignored. */
function configured<T>(
  { spec }: ValidatingPolicy,
  find: () => T,
  refuse: (why: string) => void,
): { readonly value: T } | undefined {
  try {
    return { value: find() };
  } catch (thrown) {
    if (!(thrown instanceof ConfigurationError)) throw thrown;
    if (spec.failurePolicy === 'Fail') refuse(thrown.message);
    return undefined;
  }
}

function requestBindings(
  attributes: Attributes,
  resource: GroupVersionResource,
  environment: PolicyEnvironment,
): ReturnType<typeof bindingsOf> {
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

function act(
  decision: Decision,
  { validationActions }: ValidatingBindingSpec,
  { policy, binding }: { readonly policy: string; readonly binding: string },
  attributes: Attributes,
  deny: (decision: Decision, binding: string) => void,
): void {
  for (const action of validationActions) {
    if (action === 'Deny') deny(decision, binding);
    if (action !== 'Warn') continue;
    attributes.call.warnings.push(
      `Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${binding}': ${decision.message}`,
    );
  }
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function denial(
  attributes: Attributes,
  policy: string,
  binding: string | undefined,
  { message: why, reason = 'Invalid' }: Decision,
): StatusError {
  const who = `ValidatingAdmissionPolicy '${policy}'${binding === undefined ? '' : ` with binding '${binding}'`}`;
  const message = `${who} denied request: ${why}`;
  const { status } = forbidden(attributes.resource, nameOf(attributes), message);
  const details = { ...status.details, causes: [{ message }] };
  return new StatusError({ ...status, reason, details, code: codes[reason] ?? 422 });
}

function nameOf({ name, object }: Attributes): string {
  return name || object?.metadata.name || object?.metadata.generateName || 'Unknown';
}
