import { type CelType, compileFor, dynType } from '../../cel/index.ts';
import { type GroupVersionKind, gvkOf, type KubeObject } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';
import { typeOfObjects } from '../schema/cel/index.ts';
import { compileVariables, type NamedExpression, scopeOf } from './declarations.ts';

/** What is known of a resource. */
interface CheckedKind extends GroupVersionKind {
  readonly schema?: Schema | undefined;
}

interface KnownKinds {
  readonly findResource: (group: string, version: string, resource: string) => CheckedKind | undefined;
  readonly findKind: (kind: GroupVersionKind) => CheckedKind | undefined;
}

interface ExpressionWarning {
  readonly fieldRef: string;
  readonly warning: string;
}

interface CheckedSpec {
  readonly paramKind?: { readonly apiVersion: string; readonly kind: string };
  readonly matchConstraints?: { readonly resourceRules?: readonly CheckedRule[] };
  readonly variables?: readonly NamedExpression[];
  readonly validations?: readonly { readonly expression: string; readonly messageExpression?: string }[];
}

interface CheckedRule {
  readonly apiGroups?: readonly string[];
  readonly apiVersions?: readonly string[];
  readonly resources?: readonly string[];
}

const maxKinds = 10;

/** What the validations of a policy get wrong about the objects that its rules name without stars. */
export function expressionWarnings(policy: KubeObject, known: KnownKinds): readonly ExpressionWarning[] {
  const spec = policy['spec'] as CheckedSpec;
  const scopes = kindsOf(spec, known).flatMap((kind): readonly TypedScope[] => {
    const type = kind.schema && typeOfObjects(kind.schema, kind.kind);
    return type ? [{ kind, scope: scopeWith(type, spec, known) }] : [];
  });
  return (spec.validations ?? []).flatMap(({ expression, messageExpression = '' }, i) => [
    ...warningsOf(`spec.validations[${i}].expression`, expression, scopes),
    ...(messageExpression === ''
      ? []
      : warningsOf(`spec.validations[${i}].messageExpression`, messageExpression, scopes)),
  ]);
}

interface TypedScope {
  readonly kind: GroupVersionKind;
  readonly scope: ReadonlyMap<string, CelType>;
}

function scopeWith(object: CelType, spec: CheckedSpec, known: KnownKinds): TypedScope['scope'] {
  const { paramKind, variables = [] } = spec;
  const hasParams = paramKind !== undefined;
  const param = hasParams ? known.findKind(gvkOf(paramKind)) : undefined;
  const types = new Map<string, CelType>([
    ['object', object],
    ['oldObject', object],
    ...(hasParams
      ? ([['params', (param?.schema && typeOfObjects(param.schema, param.kind)) ?? dynType]] as const)
      : []),
  ]);
  const { type } = compileVariables(variables, { hasParams, types });
  const scope = new Map([...scopeOf({ hasParams, hasAuthorizer: true, variables: type }), ...types]);
  // The type checker of the real server does not declare it.
  scope.delete('authorizer.requestResource');
  return scope;
}

function warningsOf(fieldRef: string, source: string, scopes: readonly TypedScope[]): readonly ExpressionWarning[] {
  const mistakes = scopes.flatMap(({ kind: { group, version, kind }, scope }) => {
    const compiled = compileFor(source, { variables: scope });
    return 'error' in compiled
      ? [`${group}/${version}, Kind=${kind}: ${compiled.error.replace(/^compilation failed: /, '')}\n`]
      : [];
  });
  return mistakes.length === 0 ? [] : [{ fieldRef, warning: mistakes.join('\n') }];
}

/** By group, version and kind; at most ten of one rule, and then of no further one. */
function kindsOf({ matchConstraints }: CheckedSpec, known: KnownKinds): readonly CheckedKind[] {
  const found = new Map<string, CheckedKind>();
  for (const { apiGroups = [], apiVersions = [], resources = [] } of matchConstraints?.resourceRules ?? []) {
    if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) continue;
    const plain = resources.filter((name) => !/[*/]/.test(name));
    const kinds = [...apiGroups]
      .sort()
      .flatMap((group) =>
        [...apiVersions]
          .sort()
          .flatMap((version) =>
            [...plain].sort().flatMap((resource) => known.findResource(group, version, resource) ?? []),
          ),
      );
    for (const kind of kinds.slice(0, maxKinds)) found.set(`${kind.group}\n${kind.version}\n${kind.kind}`, kind);
    if (kinds.length >= maxKinds) break;
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, kind]) => kind);
}
