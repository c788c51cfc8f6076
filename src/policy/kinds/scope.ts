import { lazy, setOwn } from '../../base/index.ts';
import {
  boolType,
  type CelType,
  dynType,
  listType,
  namespaceType,
  type PolicyLanguage,
  requestType,
  stringType,
  structType,
  type Variables,
} from '../../cel/index.ts';
import { compileExpression, type Expression } from '../cel/index.ts';
import type { NamedExpression } from './types.ts';

/** As the API server has it, and the objects. */
const kyvernoRequestType = () =>
  structType('kubernetes.AdmissionRequest', {
    ...Object.fromEntries(requestType.fields ?? []),
    object: dynType,
    oldObject: dynType,
  });

const exceptionsType = () =>
  structType('kyverno.Exceptions', {
    allowedImages: listType(stringType),
    allowedValues: listType(stringType),
  });

/** What the exceptions that apply allow. */
export interface Allowances {
  readonly allowedImages: readonly string[];
  readonly allowedValues: readonly string[];
}

export const noAllowances: Allowances = { allowedImages: [], allowedValues: [] };

/** The order of the inputs of every expression of these kinds; the values are those of KindInputs. */
const common = lazy((): readonly (readonly [string, CelType])[] => [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', kyvernoRequestType()],
  ['namespaceObject', namespaceType],
  ['exceptions', exceptionsType()],
]);

/** The same for admission policies, with parameters in place of exceptions. */
const ofServer: typeof common = lazy(() => [
  ['object', dynType],
  ['oldObject', dynType],
  ['request', requestType],
  ['namespaceObject', namespaceType],
  ['params', dynType],
]);

/** What an expression is written in and what it sees. */
export interface KindScope {
  readonly language: PolicyLanguage;
  readonly declared: Variables;
}

/** Everything but variables: what matchConditions see. */
export const scopeOf = (language: PolicyLanguage): KindScope => ({
  language,
  declared: new Map([...(language.hasParams ? ofServer() : common()), ...language.libraries]),
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

export const onlyBool = lazy((): readonly CelType[] => [boolType]);
