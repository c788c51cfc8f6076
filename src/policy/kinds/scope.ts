import { setOwn } from '../../base/index.ts';
import {
  boolType,
  CelLibrary,
  type CelType,
  dynType,
  type LibraryHost,
  listType,
  namespaceType,
  type PolicyLanguage,
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

/** The same for admission policies, with parameters in place of exceptions. */
const ofServer: typeof common = [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', requestType],
  ['namespaceObject', namespaceType],
  ['params', dynType],
];

/** What an expression is written in and what it sees. */
export interface KindScope {
  readonly language: PolicyLanguage;
  readonly declared: Variables;
}

/** Everything but variables: what matchConditions see. */
export const scopeOf = (language: PolicyLanguage): KindScope => ({
  language,
  declared: new Map([...(language.hasParams ? ofServer : common), ...language.libraries]),
});

/** The variables of a policy, and what its expressions see; each variable sees those before it. */
export interface KindVariables {
  readonly expressions: ReadonlyMap<string, Expression>;
  readonly scope: KindScope;
}

export function compileKindVariables(specs: readonly NamedExpression[] = [], language: PolicyLanguage): KindVariables {
  const expressions = new Map<string, Expression>();
  const fields: Record<string, CelType> = {};
  const { declared } = scopeOf(language);
  const scopeNow = (): KindScope => ({
    language,
    declared: new Map([...declared, ['variables', structType('kubernetes.variables', fields)] as const]),
  });
  for (const { name, expression } of specs) {
    const compiled = compileKindExpression(expression, scopeNow());
    expressions.set(name, compiled);
    setOwn(fields, name, 'program' in compiled ? compiled.program.type : dynType);
  }
  return { expressions, scope: scopeNow() };
}

export const compileKindExpression = (source: string, scope: KindScope, wanted?: readonly CelType[]): Expression =>
  compileExpression(source, scope.declared, wanted, scope.language.environment);

export const onlyBool: readonly CelType[] = [boolType];

interface InputOptions {
  readonly language: PolicyLanguage;
  /** What exceptions allow; in admission policies, the parameter. */
  readonly allowances: unknown;
  readonly host: LibraryHost;
  readonly variables?: unknown;
}

/** The place of `object` among the inputs, which a mutation replaces. */
export const objectInput = 0;

/** The values of `scopeOf` for one request; those of its variables come behind. */
export function inputsOf({ request }: Run, { language, allowances, host, variables }: InputOptions): unknown[] {
  const { payload, object = payload?.value ?? null, oldObject = null } = request;
  const { value, namespace } = sharedOf(request);
  return [
    object,
    oldObject,
    value,
    namespace,
    allowances,
    ...[...language.libraries.values()].map((type) => new CelLibrary(type.name, host)),
    variables,
  ];
}

const shared = new WeakMap<PolicyRequest, { readonly value: unknown; readonly namespace: unknown }>();

/** One value for all policies on a request. */
function sharedOf(request: PolicyRequest) {
  let known = shared.get(request);
  if (!known) {
    const { payload, object = null, oldObject = null } = request;
    // A document has no request and no namespace.
    const namespaceObject = payload ? null : request.namespaceObject;
    known = {
      value: payload ? null : { ...(requestValue(request) as object), object, oldObject },
      namespace: namespaceObject === undefined ? namespaceValue(request) : namespaceObject,
    };
    shared.set(request, known);
  }
  return known;
}
