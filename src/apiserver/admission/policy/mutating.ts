import type { KubeObject } from '../../../object/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { matchConditions } from '../../expressions/index.ts';
import { forbidden } from '../../operations/errors.ts';
import { StatusError } from '../../status.ts';
import type { Attributes } from '../attributes.ts';
import type { Hook } from './hooks.ts';
import {
  type Invocation,
  invocationsOf,
  isPolicy,
  nameOf,
  type PolicyEnvironment,
  requestBindings,
} from './invocations.ts';
import { applyMutations, type MutatingPolicy } from './mutator.ts';
import type { BindingSpec } from './types.ts';

export interface MutationEnvironment extends PolicyEnvironment {
  readonly schemaOf: (object: KubeObject) => Schema | undefined;
  readonly redecode: (object: KubeObject) => KubeObject;
}

type MutatingHook = Hook<MutatingPolicy, BindingSpec>;
type MutatingInvocation = Invocation<MutatingPolicy, BindingSpec>;

interface PolicyFailure {
  readonly message: string;
  /** The answer is Forbidden without. */
  readonly reason?: 'Invalid';
}

/** The MutatingAdmissionPolicies for one request: all of them once, and those that want it again at the end. */
export class PolicyMutations {
  /** What was evaluated by a policy that wants to be evaluated again. */
  private readonly reinvocable = new Set<string>();

  constructor(
    private readonly hooks: readonly MutatingHook[],
    private readonly environment: MutationEnvironment,
  ) {}

  first(attributes: Attributes): Attributes {
    return this.run(attributes, () => true);
  }

  again(attributes: Attributes): Attributes {
    if (this.reinvocable.size === 0) return attributes;
    const known = new Set(this.reinvocable);
    return this.run(attributes, (invocation) => known.has(keyOf(invocation)));
  }

  private run(attributes: Attributes, isWanted: (invocation: MutatingInvocation) => boolean): Attributes {
    const { hooks, environment } = this;
    if (attributes.operation === 'DELETE' || isPolicy(attributes.resource)) return attributes;
    // Which policies a request needs is settled before the first of them changes it.
    const invocations = hooks.flatMap((hook) =>
      invocationsOf(hook, attributes, environment).map((invocation) => ({ hook, invocation })),
    );
    const failures: PolicyFailure[] = [];
    let current = attributes;
    for (const { hook, invocation } of invocations) {
      const fail = (message: string, binding: string | undefined, reason?: 'Invalid') => {
        if (hook.policy.spec.failurePolicy === 'Ignore') return;
        const who = binding === undefined ? `policy "${hook.name}"` : `policy '${hook.name}' with binding '${binding}'`;
        failures.push({ message: `${who} denied request: ${message}`, ...(reason ? { reason } : {}) });
      };
      if ('message' in invocation) fail(invocation.message, invocation.binding);
      else current = this.invoke(invocation, current, isWanted, (why) => fail(why, invocation.binding.name, 'Invalid'));
    }
    if (failures.length > 0) throw denial(current, failures);
    return current;
  }

  private invoke(
    invocation: MutatingInvocation,
    attributes: Attributes,
    isWanted: (invocation: MutatingInvocation) => boolean,
    fail: (why: string) => void,
  ): Attributes {
    const { policy, param, resource } = invocation;
    const { environment } = this;
    if (!attributes.object) return attributes;
    const bindings = { ...requestBindings(attributes, resource, environment), params: param };
    const { conditions, spec } = policy;
    if (conditions.length > 0) {
      const matched = matchConditions(conditions, spec.failurePolicy, { ...bindings, namespaceObject: null });
      if ('error' in matched) fail(matched.error);
      if ('error' in matched || !matched.matches) return attributes;
    }
    if (!isWanted(invocation)) return attributes;
    const object = environment.convert(attributes.object, resource);
    const schema = environment.schemaOf(object);
    const mutated = applyMutations(policy, { object, bindings, schema, redecode: environment.redecode }, fail);
    if (spec.reinvocationPolicy === 'IfNeeded') this.reinvocable.add(keyOf(invocation));
    return mutated === object
      ? attributes
      : { ...attributes, object: environment.convert(mutated, attributes.resource) };
  }
}

const keyOf = ({ name, binding, param }: MutatingInvocation) =>
  `${name} ${binding.name} ${param?.metadata.namespace ?? ''}/${param?.metadata.name ?? ''}`;

function denial(attributes: Attributes, failures: readonly PolicyFailure[]): StatusError {
  const [first] = failures as [PolicyFailure];
  const { status } = forbidden(attributes.resource, nameOf(attributes), '');
  const causes = failures.map(({ message }) => ({ message }));
  return new StatusError({
    ...status,
    message: first.message,
    reason: first.reason ?? 'Forbidden',
    details: { ...status.details, causes },
  });
}
