import { boolType, nullType, stringType } from '../../../cel/index.ts';
import {
  parseApiVersion,
  validateDns1035Label,
  validateDnsSubdomain,
  validateQualifiedName,
} from '../../../object/index.ts';
import {
  compileMutation,
  compileVariables,
  type ExpressionScope,
  type NamedExpression,
  scopeOf,
} from '../../expressions/index.ts';
import { duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, isUnset, listIn, objectIn, stringIn } from '../value.ts';
import { checkOneOf } from './common.ts';
import { checkExpression, checkMatchConditions, hasSameConditions, reportExpression } from './expressions.ts';
import { pathSegmentName } from './names.ts';
import { checkSelector } from './selector.ts';
import { checkRule } from './webhook.ts';

const specPath = Path.of('spec');

/** A ValidatingAdmissionPolicy. */
export function checkValidatingPolicy(object: Fields, errors: FieldError[], old?: Fields): void {
  const spec = objectIn(object, 'spec') ?? {};
  const variables = checkPolicy(spec, errors, objectIn(old, 'spec'));
  const validations = listIn(spec, 'validations');
  const annotations = listIn(spec, 'auditAnnotations');
  if (validations.length === 0 && annotations.length === 0) {
    const detail = 'validations or auditAnnotations must contain at least one item';
    errors.push(required(specPath.child('validations'), detail), required(specPath.child('auditAnnotations'), detail));
    return;
  }
  const hasParams = !isUnset(spec['paramKind']);
  const scope = scopeOf({ hasParams, hasAuthorizer: true, variables });
  const messageScope = scopeOf({ hasParams, hasAuthorizer: false, variables });
  for (const [i, validation] of validations.entries()) {
    if (!isObject(validation)) continue;
    checkValidation(validation, { scope, messageScope }, specPath.child('validations').at(i), errors);
  }
  checkAnnotations(stringIn(objectIn(object, 'metadata'), 'name'), annotations, scope, errors);
}

/** What validating and mutating policies have in common; gives the type of their variables. */
function checkPolicy(
  spec: Fields,
  errors: FieldError[],
  old?: Fields,
  checkConstraints?: (constraints: Fields) => void,
): ExpressionScopeVariables {
  checkOneOf(spec, 'failurePolicy', ['Fail', 'Ignore'], specPath, errors);
  const paramKind = objectIn(spec, 'paramKind');
  if (paramKind) checkParamKind(paramKind, specPath.child('paramKind'), errors);
  const constraints = objectIn(spec, 'matchConstraints');
  const where = specPath.child('matchConstraints');
  if (!constraints) errors.push(required(where));
  else {
    checkMatchResources(constraints, where, errors);
    if (listIn(constraints, 'resourceRules').length === 0) errors.push(required(where.child('resourceRules')));
    checkConstraints?.(constraints);
  }
  const hasParams = paramKind !== undefined;
  if (!old || !hasSameConditions(old, spec)) checkMatchConditions(spec, { hasParams }, specPath, errors);
  return checkVariables(listIn(spec, 'variables').filter(isObject), hasParams, errors);
}

type ExpressionScopeVariables = Parameters<typeof scopeOf>[0]['variables'];

function checkVariables(
  variables: readonly Fields[],
  hasParams: boolean,
  errors: FieldError[],
): ExpressionScopeVariables {
  const where = specPath.child('variables');
  const usable: NamedExpression[] = [];
  const places = new Map<string, Path>();
  for (const [i, variable] of variables.entries()) {
    const name = stringIn(variable, 'name');
    const expression = stringIn(variable, 'expression');
    const here = where.at(i);
    if (name.trim() === '') errors.push(required(here.child('name'), 'name is not specified'));
    else if (!isIdentifier(name)) errors.push(invalid(here.child('name'), name, 'must be a valid CEL identifier'));
    if (expression.trim() === '') {
      errors.push(required(here.child('expression'), 'expression is not specified'));
      continue;
    }
    usable.push({ name, expression });
    places.set(name, here.child('expression'));
  }
  const { expressions, type } = compileVariables(usable, { hasParams });
  for (const [name, expression] of expressions) reportExpression(expression, places.get(name) as Path, errors);
  return type;
}

const reserved = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
const isIdentifier = (name: string) => /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !reserved.has(name);

const reasons = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];

function checkValidation(
  validation: Fields,
  { scope, messageScope }: { readonly scope: ExpressionScope; readonly messageScope: ExpressionScope },
  where: Path,
  errors: FieldError[],
): void {
  const expression = stringIn(validation, 'expression');
  const message = stringIn(validation, 'message');
  const messageExpression = stringIn(validation, 'messageExpression');
  if (expression.trim() === '') errors.push(required(where.child('expression'), 'expression is not specified'));
  else checkExpression(expression, scope, [boolType], where.child('expression'), errors);
  const messagePath = where.child('messageExpression');
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.push(invalid(messagePath, messageExpression, 'must be non-empty if specified'));
  } else if (messageExpression !== '') {
    checkExpression(messageExpression, messageScope, [stringType], messagePath, errors);
  }
  if (message !== '' && message.trim() === '') {
    errors.push(invalid(where.child('message'), message, 'must be non-empty if specified'));
  } else if (/[\n\r]/.test(message.trim())) {
    errors.push(invalid(where.child('message'), message, 'must not contain line breaks'));
  }
  const { reason } = validation;
  if (!isUnset(reason) && !reasons.includes(String(reason))) {
    errors.push(notSupported(where.child('reason'), reason, reasons));
  }
}

const maxAnnotations = 20;
const maxAnnotationBytes = 5 * 1024;

function checkAnnotations(
  policy: string,
  annotations: readonly unknown[],
  scope: ExpressionScope,
  errors: FieldError[],
): void {
  const where = specPath.child('auditAnnotations');
  if (annotations.length > maxAnnotations) {
    errors.push(invalid(where, annotations, `must not have more than ${maxAnnotations} auditAnnotations`));
  }
  const keys = new Set<string>();
  for (const [i, annotation] of annotations.entries()) {
    if (!isObject(annotation)) continue;
    const here = where.at(i);
    const key = stringIn(annotation, 'key');
    for (const issue of validateQualifiedName(`${policy}/${key}`)) {
      errors.push(invalid(here.child('key'), `${policy}/${key}`, issue));
    }
    const expression = stringIn(annotation, 'valueExpression').trim();
    const place = here.child('valueExpression');
    if (expression === '') errors.push(required(place, 'valueExpression is not specified'));
    else if (Buffer.byteLength(expression) > maxAnnotationBytes) {
      errors.push(required(place, `must not exceed ${maxAnnotationBytes} bytes in length`));
    } else checkExpression(expression, scope, [stringType, nullType], place, errors);
    if (keys.has(key)) errors.push(duplicate(here.child('key'), key));
    keys.add(key);
  }
}

/** A MutatingAdmissionPolicy. */
export function checkMutatingPolicy(object: Fields, errors: FieldError[], old?: Fields): void {
  const spec = objectIn(object, 'spec') ?? {};
  const variables = checkPolicy(spec, errors, objectIn(old, 'spec'), (constraints) =>
    checkMutableOperations(constraints, specPath.child('matchConstraints'), errors),
  );
  const scope = scopeOf({ hasParams: !isUnset(spec['paramKind']), hasAuthorizer: true, variables });
  const mutations = listIn(spec, 'mutations');
  const where = specPath.child('mutations');
  if (mutations.length === 0) errors.push(required(where, 'mutations must contain at least one item'));
  for (const [i, mutation] of mutations.entries()) {
    if (isObject(mutation)) checkMutation(mutation, scope, where.at(i), errors);
  }
  checkOneOf(spec, 'reinvocationPolicy', ['IfNeeded', 'Never'], specPath, errors);
}

const patchFields = { ApplyConfiguration: 'applyConfiguration', JSONPatch: 'jsonPatch' } as const;

function checkMutation(mutation: Fields, scope: ExpressionScope, where: Path, errors: FieldError[]): void {
  const patchType = stringIn(mutation, 'patchType');
  if (patchType !== 'ApplyConfiguration' && patchType !== 'JSONPatch') {
    checkOneOf(mutation, 'patchType', Object.keys(patchFields), where, errors);
    return;
  }
  const field = patchFields[patchType];
  const other = patchFields[patchType === 'JSONPatch' ? 'ApplyConfiguration' : 'JSONPatch'];
  const given = objectIn(mutation, field);
  const here = where.child(field);
  const expression = stringIn(given, 'expression').trim();
  if (!given) errors.push(required(here, `must be specified when patchType is ${patchType}`));
  else if (expression === '') errors.push(required(here.child('expression')));
  else reportExpression(compileMutation(expression, scope, patchType), here.child('expression'), errors);
  if (!isUnset(mutation[other])) {
    errors.push(invalid(where.child(other), `{${other}}`, `must not be specified when patchType is ${patchType}`));
  }
}

const mutableOperations = ['*', 'CONNECT', 'CREATE', 'UPDATE'];

/** There is nothing to change in what is deleted. */
function checkMutableOperations(match: Fields, where: Path, errors: FieldError[]): void {
  for (const rule of listIn(match, 'resourceRules').filter(isObject)) {
    for (const operation of listIn(rule, 'operations')) {
      if (mutableOperations.includes(String(operation))) continue;
      errors.push(notSupported(where.child('resourceRules', 'operations'), operation, mutableOperations));
    }
  }
}

/** A MutatingAdmissionPolicyBinding. */
export function checkMutatingBinding(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkBinding(spec, errors);
  const match = objectIn(spec, 'matchResources');
  if (match) checkMutableOperations(match, specPath.child('matchResources'), errors);
}

function checkParamKind(paramKind: Fields, where: Path, errors: FieldError[]): void {
  const apiVersion = stringIn(paramKind, 'apiVersion');
  const place = where.child('apiVersion');
  const { group, version } = parseApiVersion(apiVersion);
  if (apiVersion === '') errors.push(required(place));
  else if (version.includes('/')) {
    errors.push(invalid(place, apiVersion, `unexpected GroupVersion string: ${apiVersion}`));
  } else {
    const groupIssues = group === '' ? [] : validateDnsSubdomain(group);
    if (groupIssues.length > 0) errors.push(invalid(place, group, groupIssues.join(',')));
    const issues = version === '' ? [] : validateDns1035Label(version);
    if (version === '') errors.push(invalid(place, apiVersion, 'version must be specified'));
    if (issues.length > 0) errors.push(invalid(place, version, issues.join(',')));
  }
  const kind = stringIn(paramKind, 'kind');
  const issues = kind === '' ? [] : validateDns1035Label(kind.toLowerCase());
  if (kind === '') errors.push(required(where.child('kind')));
  if (issues.length > 0) {
    const detail = `may have mixed case, but should otherwise match: ${issues.join(',')}`;
    errors.push(invalid(where.child('kind'), kind, detail));
  }
}

function checkMatchResources(match: Fields, where: Path, errors: FieldError[]): void {
  checkOneOf(match, 'matchPolicy', ['Equivalent', 'Exact'], where, errors);
  for (const key of ['namespaceSelector', 'objectSelector']) {
    const selector = objectIn(match, key);
    if (selector) checkSelector(selector, where.child(key), errors);
    else errors.push(required(where.child(key)));
  }
  for (const key of ['resourceRules', 'excludeResourceRules']) {
    for (const [i, rule] of listIn(match, key).entries()) {
      if (!isObject(rule)) continue;
      const here = where.child(key).at(i);
      checkResourceNames(listIn(rule, 'resourceNames').map(String), here.child('resourceNames'), errors);
      checkRule(rule, here, errors);
    }
  }
}

function checkResourceNames(names: readonly string[], where: Path, errors: FieldError[]): void {
  const seen = new Set<string>();
  for (const [i, name] of names.entries()) {
    for (const issue of pathSegmentName(name, false)) errors.push(invalid(where.at(i), name, issue));
    if (seen.has(name)) errors.push(duplicate(where.at(i), name));
    seen.add(name);
  }
}

const actions = ['Audit', 'Deny', 'Warn'];

/** A ValidatingAdmissionPolicyBinding. */
export function checkValidatingBinding(object: Fields, errors: FieldError[]): void {
  const spec = objectIn(object, 'spec') ?? {};
  checkBinding(spec, errors);
  const where = specPath.child('validationActions');
  const given = listIn(spec, 'validationActions').map(String);
  const seen = new Set<string>();
  for (const [i, action] of given.entries()) {
    if (!actions.includes(action)) errors.push(notSupported(where.at(i), action, actions));
    if (seen.has(action)) errors.push(duplicate(where.at(i), action));
    seen.add(action);
  }
  if (seen.has('Deny') && seen.has('Warn')) {
    const why = 'repeating the same validation failure information in the API response and headers serves no purpose';
    errors.push(invalid(where, given, `must not contain both Deny and Warn (${why})`));
  }
  if (seen.size === 0) errors.push(required(where, 'at least one validation action is required'));
}

/** What bindings of validating and mutating policies have in common. */
function checkBinding(spec: Fields, errors: FieldError[]): void {
  const policyName = stringIn(spec, 'policyName');
  if (policyName === '') errors.push(required(specPath.child('policyName')));
  else {
    for (const issue of validateDnsSubdomain(policyName)) {
      errors.push(invalid(specPath.child('policyName'), policyName, issue));
    }
  }
  const paramRef = objectIn(spec, 'paramRef');
  if (paramRef) checkParamRef(paramRef, specPath.child('paramRef'), errors);
  const match = objectIn(spec, 'matchResources');
  if (match) checkMatchResources(match, specPath.child('matchResources'), errors);
}

function checkParamRef(ref: Fields, where: Path, errors: FieldError[]): void {
  const name = stringIn(ref, 'name');
  const selector = objectIn(ref, 'selector');
  const exclusive = 'name and selector are mutually exclusive';
  if (name !== '') {
    for (const issue of pathSegmentName(name, false)) errors.push(invalid(where.child('name'), name, issue));
    if (selector) errors.push(forbidden(where.child('name'), exclusive));
  }
  if (selector) {
    checkSelector(selector, where.child('selector'), errors);
    if (name !== '') errors.push(forbidden(where.child('selector'), exclusive));
  }
  if (name === '' && !selector) errors.push(required(where, 'one of name or selector must be specified'));
  checkOneOf(ref, 'parameterNotFoundAction', ['Deny', 'Allow'], where, errors);
}
