import { errorMessage } from '../../base/index.ts';
import type { KubeObject, LabelSelector } from '../../object/index.ts';
import { askFor, compileContext, layerOf, Need } from '../context/index.ts';
import { errored, type RuleOutcome, skip } from '../run/outcome.ts';
import { type Run, resolverOf, withContext, withScope } from '../run/run.ts';
import type { MutateSpec, MutateTarget } from '../types.ts';
import { compileDocument } from '../variables/index.ts';
import { compileConditions } from './conditions.ts';
import { compileMutator, mutateOutcome } from './mutate.ts';
import { unmetPreconditions } from './validate.ts';

/** `mutate.targets`: patches of other objects, triggered by this one. One outcome for all targets. */
export function compileMutateExisting(spec: MutateSpec, policyNamespace: string): (run: Run) => RuleOutcome {
  const mutator = compileMutator(spec);
  const targets = (spec.targets ?? []).map((target) => ({
    find: compileTarget(target, policyNamespace),
    load: compileContext(target.context),
    preconditions: compileConditions(target.preconditions, 'target.preconditions'),
  }));
  return (run) => {
    const outcomes: RuleOutcome[] = [];
    for (const { find, load, preconditions } of targets) {
      const found = find(run);
      if (!Array.isArray(found)) {
        outcomes.push(found as RuleOutcome);
        continue;
      }
      for (const object of found as readonly KubeObject[]) {
        const inside = withContext(withScope(run, layerOf({ target: object }, run.scope)), load);
        outcomes.push(
          unmetPreconditions(preconditions, inside) ?? sameObject(mutateOutcome(mutator(inside, object)), object),
        );
      }
    }
    return combine(outcomes);
  };
}

function compileTarget(
  { context: _, preconditions: __, ...selector }: MutateTarget,
  policyNamespace: string,
): (run: Run) => readonly KubeObject[] | RuleOutcome {
  const template = compileDocument(selector);
  return (run) => {
    try {
      const target = template.resolve(resolverOf(run)) as MutateTarget;
      const namespace = policyNamespace || target.namespace;
      const answer = askFor(run.context, {
        kind: 'resources',
        apiVersion: target.apiVersion ?? '',
        resourceKind: target.kind ?? '',
        ...(namespace ? { namespace } : {}),
        ...(target.name ? { name: target.name } : {}),
        ...(target.selector ? { selector: target.selector as LabelSelector } : {}),
      });
      if (!answer.ok) return errored(answer.message);
      return answer.value as readonly KubeObject[];
    } catch (thrown) {
      if (thrown instanceof Need) throw thrown;
      return errored(`failed to substitute variables in target: ${errorMessage(thrown)}`);
    }
  };
}

/** Rejects a patch that changes the identity of its target: it would be written to another object. */
function sameObject(outcome: RuleOutcome, target: KubeObject): RuleOutcome {
  const { patched } = outcome;
  if (!patched) return outcome;
  const isSame =
    patched.apiVersion === target.apiVersion &&
    patched.kind === target.kind &&
    patched.metadata.name === target.metadata.name &&
    patched.metadata.namespace === target.metadata.namespace;
  return isSame ? outcome : errored('a mutation must not change the kind, name or namespace of its target');
}

function combine(outcomes: readonly RuleOutcome[]): RuleOutcome {
  const targets = outcomes.flatMap(({ patched }) => (patched ? [patched] : []));
  const worst =
    outcomes.find(({ status }) => status === 'error') ??
    outcomes.find(({ status }) => status === 'pass') ??
    outcomes[0];
  if (!worst) return skip('no target found');
  const { patched: _, ...outcome } = worst;
  return { ...outcome, targets };
}
