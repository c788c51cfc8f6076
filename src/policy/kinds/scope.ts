import { setOwn } from '../../base/index.ts';
import {
  boolType,
  CelLibrary,
  type CelType,
  dynType,
  type LibraryHost,
  libraryTypes,
  listType,
  namespaceType,
  policyEnvironment,
  requestType,
  stringType,
  structType,
  type Variables,
} from '../../cel/index.ts';
import { compileExpression, type Expression, namespaceValue, requestValue } from '../cel/index.ts';
import type { PolicyRequest } from '../request.ts';
import type { Run } from '../run/run.ts';
import type { NamedExpression } from './types.ts';

/** As the API server has it, and the objects. */
const kyvernoRequestType = structType('kubernetes.AdmissionRequest', {
  ...Object.fromEntries(requestType.fields ?? []),
  object: dynType,
  oldObject: dynType,
});

const exceptionsType = structType('kyverno.Exceptions', {
  allowedImages: listType(stringType),
  allowedValues: listType(stringType),
});

/** What the exceptions that apply allow. */
export interface Allowances {
  readonly allowedImages: readonly string[];
  readonly allowedValues: readonly string[];
}

export const noAllowances: Allowances = { allowedImages: [], allowedValues: [] };

/** The order of the inputs of every expression of these kinds. */
const common: readonly (readonly [string, CelType])[] = [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', kyvernoRequestType],
  ['namespaceObject', namespaceType],
  ['exceptions', exceptionsType],
];

const libraries = [...libraryTypes];

/** What matchConditions see: everything but variables. */
export const conditionScope: Variables = new Map([...common, ...libraries]);

/** The variables of a policy, and what its expressions see; each variable sees those before it. */
export interface KindVariables {
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly scope: Variables;
}

export function compileKindVariables(specs: readonly NamedExpression[] = []): KindVariables {
  const expressions = new Map<string, Expression>();
  const fields: Record<string, CelType> = {};
  const scopeNow = () =>
    new Map([...conditionScope, ['variables', structType('kubernetes.variables', fields)] as const]);
  for (const { name, expression } of specs) {
    const compiled = compileKindExpression(expression, scopeNow());
    expressions.set(name, compiled);
    setOwn(fields, name, 'program' in compiled ? compiled.program.type : dynType);
  }
  return { expressions, scope: scopeNow() };
}

export const compileKindExpression = (source: string, scope: Variables, wanted?: readonly CelType[]): Expression =>
  compileExpression(source, scope, wanted, policyEnvironment);

export const onlyBool: readonly CelType[] = [boolType];

/** The values of `conditionScope` for one request; those of its variables come behind. */
export function inputsOf(run: Run, allowances: Allowances, variables?: unknown): readonly unknown[] {
  const { request } = run;
  const { object = null, oldObject = null } = request;
  const { value, namespace } = sharedOf(request);
  const host = hostOf(run);
  return [
    object,
    oldObject,
    value,
    namespace,
    allowances,
    ...libraries.map(([, type]) => new CelLibrary(type.name, host)),
    variables,
  ];
}

const hostOf = ({ request, environment }: Run): LibraryHost => ({
  now: () => request.now,
  random: environment.random ?? (() => 0),
});

const shared = new WeakMap<PolicyRequest, { readonly value: unknown; readonly namespace: unknown }>();

/** One value for all policies on a request. */
function sharedOf(request: PolicyRequest) {
  let known = shared.get(request);
  if (!known) {
    const { object = null, oldObject = null, namespaceObject } = request;
    known = {
      value: { ...(requestValue(request) as object), object, oldObject },
      namespace: namespaceObject === undefined ? namespaceValue(request) : namespaceObject,
    };
    shared.set(request, known);
  }
  return known;
}
