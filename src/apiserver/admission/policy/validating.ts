import type { Bindings } from '../../expressions/index.ts';
import { forbidden } from '../../operations/errors.ts';
import { StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import type { Hook } from './hooks.ts';
import { invocationsOf, isPolicy, nameOf, type PolicyEnvironment, requestBindings } from './invocations.ts';
import type { ValidatingBindingSpec } from './types.ts';
import { type Decision, judge, type ValidatingPolicy } from './validator.ts';

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

function evaluate(
  hook: ValidatingHook,
  attributes: Attributes,
  environment: PolicyEnvironment,
  deny: (decision: Decision, binding?: string) => void,
): void {
  let request: Bindings | undefined;
  for (const invocation of invocationsOf(hook, attributes, environment)) {
    if ('message' in invocation) {
      if (hook.policy.spec.failurePolicy === 'Fail') deny(invocation, invocation.binding);
      continue;
    }
    const { policy, name, binding, param, resource } = invocation;
    request ??= requestBindings(attributes, resource, environment);
    const { denials, failures } = judge(policy, { ...request, params: param });
    for (const decision of denials) {
      act(decision, binding.spec, { policy: name, binding: binding.name }, attributes, deny);
    }
    for (const decision of failures) deny(decision, binding.name);
  }
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
