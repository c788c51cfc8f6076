import { isJsonObject } from '../../../base/index.ts';
import { CelError, toDocument } from '../../../cel/index.ts';
import { gvkOf, type KubeObject } from '../../../object/index.ts';
import { findAnswer, type LookUp, Need } from '../../context/index.ts';
import type { Run } from '../../run/run.ts';
import { compileConstraints } from '../constraints.ts';
import type { KindEvaluator } from '../evaluator.ts';
import type { ResourceRule } from '../types.ts';
import type { MutatingExpressions } from './expressions.ts';
import type { MutatingSpec } from './types.ts';

type Found = { readonly targets: readonly KubeObject[] } | { readonly error: string };

/** Objects that one evaluation may change. */
const maxTargets = 5_000;

/** Finds the objects to change: those that the rules select, whatever operations they name, or those of an expression. */
export function compileTargets(
  { targetMatchConstraints }: MutatingSpec,
  { targets: expression }: MutatingExpressions,
  policyNamespace: string,
): (run: Run, evaluator: KindEvaluator) => Found {
  if (expression) {
    return ({ request: { object, oldObject } }, evaluator) => {
      // Of a deletion, as Kyverno has it: the trigger is the object, whatever has become of it.
      if (!object && oldObject) evaluator.seeObject(oldObject);
      const value = evaluator.evaluate(expression, 'targetMatchConstraints');
      if (value instanceof CelError) return { error: value.message };
      const found = targetsOf(toDocument(value));
      const isOutside = policyNamespace !== '' && found.some(({ metadata }) => metadata.namespace !== policyNamespace);
      return isOutside
        ? { error: `a policy of namespace ${policyNamespace} may not change objects outside of it` }
        : { targets: found };
    };
  }
  const { resourceRules = [], excludeResourceRules = [], ...selectors } = targetMatchConstraints ?? {};
  const ofAnyOperation = (rules: readonly ResourceRule[]) => rules.map((rule) => ({ ...rule, operations: ['*'] }));
  const matcher = compileConstraints(
    {
      ...selectors,
      resourceRules: ofAnyOperation(resourceRules),
      excludeResourceRules: ofAnyOperation(excludeResourceRules),
    },
    policyNamespace,
  );
  const lists = resourceRules.flatMap(({ apiGroups = [], apiVersions = [], resources = [] }) =>
    apiGroups.flatMap((group) =>
      apiVersions.flatMap((version) =>
        resources.map((resource) => ({ apiVersion: group === '' ? version : `${group}/${version}`, resource })),
      ),
    ),
  );
  const selectsNamespaces = selectors.namespaceSelector !== undefined && policyNamespace === '';
  return (run) => {
    const found: KubeObject[] = [];
    const needs: LookUp[] = [];
    const namespaces = selectsNamespaces ? findAnswer(run.context, allNamespaces) : undefined;
    if (namespaces?.answer?.ok === false) return { error: namespaces.answer.message };
    if (namespaces && !namespaces.answer) needs.push(namespaces.lookUp);
    const labels = labelsByName(namespaces?.answer?.ok ? namespaces.answer.value : []);
    for (const { apiVersion, resource } of lists) {
      const { answer, lookUp } = findAnswer(run.context, {
        kind: 'resources',
        apiVersion,
        resourceKind: '',
        resource,
        ...(policyNamespace === '' ? {} : { namespace: policyNamespace }),
      });
      if (!answer) needs.push(lookUp);
      else if (!answer.ok) return { error: answer.message };
      else {
        for (const object of answer.value as readonly KubeObject[]) {
          const { request } = run;
          const asRequest = {
            ...request,
            operation: 'UPDATE' as const,
            kind: gvkOf(object),
            plural: resource,
            subresource: '',
            object,
            oldObject: undefined,
            namespaceLabels:
              labels.get(object.metadata.namespace ?? '') ??
              (object.metadata.namespace === namespaceOf(run) ? request.namespaceLabels : {}),
          };
          if (matcher.mismatchReason(asRequest) === undefined) found.push(object);
        }
      }
    }
    if (needs.length > 0) throw new Need(needs);
    if (found.length > maxTargets) return { error: `more than ${maxTargets} objects are selected` };
    return { targets: found };
  };
}

const allNamespaces = { kind: 'resources', apiVersion: 'v1', resourceKind: '', resource: 'namespaces' } as const;

type Labels = Readonly<Record<string, string>>;

const labelsByName = (namespaces: unknown): ReadonlyMap<string, Labels> =>
  new Map(
    (namespaces as readonly KubeObject[]).map(({ metadata: { name = '', labels = {} } }) => [name, labels] as const),
  );

const namespaceOf = ({ request }: Run) => (request.object ?? request.oldObject)?.metadata.namespace;

function targetsOf(value: unknown): readonly KubeObject[] {
  if (!isJsonObject(value)) return [];
  const items = Array.isArray(value['items']) ? value['items'] : [value];
  return items.filter(
    (item): item is KubeObject =>
      isJsonObject(item) &&
      typeof item['kind'] === 'string' &&
      typeof item['apiVersion'] === 'string' &&
      isJsonObject(item['metadata']),
  );
}
