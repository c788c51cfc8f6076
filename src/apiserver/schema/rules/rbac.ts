import { validateDnsSubdomain } from '../../../object/index.ts';
import { type FieldError, invalid, notSupported, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, listIn, objectIn, stringIn } from '../value.ts';
import { pathSegmentName } from './names.ts';
import { checkSelector } from './selector.ts';

const group = 'rbac.authorization.k8s.io';

export function checkRole(object: Fields, errors: FieldError[]): void {
  checkPolicyRules(object, true, errors);
}

export function checkClusterRole(object: Fields, errors: FieldError[]): void {
  checkPolicyRules(object, false, errors);
  const aggregation = objectIn(object, 'aggregationRule');
  if (!aggregation) return;
  const where = Path.of('aggregationRule', 'clusterRoleSelectors');
  const selectors = listIn(aggregation, 'clusterRoleSelectors');
  if (selectors.length === 0) {
    errors.push(required(where, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  }
  for (const [i, selector] of selectors.entries()) if (isObject(selector)) checkSelector(selector, where.at(i), errors);
}

function checkPolicyRules(object: Fields, isNamespaced: boolean, errors: FieldError[]): void {
  for (const [i, rule] of listIn(object, 'rules').entries()) {
    if (!isObject(rule)) continue;
    const where = Path.of('rules').at(i);
    if (listIn(rule, 'verbs').length === 0) {
      errors.push(required(where.child('verbs'), 'verbs must contain at least one value'));
    }
    const urls = listIn(rule, 'nonResourceURLs');
    if (urls.length > 0) {
      const here = where.child('nonResourceURLs');
      if (isNamespaced) errors.push(invalid(here, urls, 'namespaced rules cannot apply to non-resource URLs'));
      if (['apiGroups', 'resources', 'resourceNames'].some((key) => listIn(rule, key).length > 0)) {
        errors.push(invalid(here, urls, 'rules cannot apply to both regular resources and non-resource URLs'));
      }
      continue;
    }
    if (listIn(rule, 'apiGroups').length === 0) {
      errors.push(required(where.child('apiGroups'), 'resource rules must supply at least one api group'));
    }
    if (listIn(rule, 'resources').length === 0) {
      errors.push(required(where.child('resources'), 'resource rules must supply at least one resource'));
    }
  }
}

export const checkRoleBinding = (object: Fields, errors: FieldError[]): void => checkBinding(object, true, errors);
export const checkClusterRoleBinding = (object: Fields, errors: FieldError[]): void =>
  checkBinding(object, false, errors);

function checkBinding(object: Fields, isNamespaced: boolean, errors: FieldError[]): void {
  const where = Path.of('roleRef');
  const role = objectIn(object, 'roleRef') ?? {};
  if (role['apiGroup'] !== group)
    errors.push(notSupported(where.child('apiGroup'), stringIn(role, 'apiGroup'), [group]));
  const kinds = isNamespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  const kind = stringIn(role, 'kind');
  if (!kinds.includes(kind)) errors.push(notSupported(where.child('kind'), kind, kinds));
  const name = stringIn(role, 'name');
  if (name === '') errors.push(required(where.child('name')));
  else for (const message of pathSegmentName(name, false)) errors.push(invalid(where.child('name'), name, message));
  for (const [i, subject] of listIn(object, 'subjects').entries()) {
    if (isObject(subject)) checkSubject(subject, Path.of('subjects').at(i), isNamespaced, errors);
  }
}

function checkSubject(subject: Fields, where: Path, isNamespaced: boolean, errors: FieldError[]): void {
  const name = stringIn(subject, 'name');
  const apiGroup = stringIn(subject, 'apiGroup');
  if (name === '') errors.push(required(where.child('name')));
  switch (subject['kind']) {
    case 'ServiceAccount':
      if (name !== '') {
        for (const message of validateDnsSubdomain(name)) errors.push(invalid(where.child('name'), name, message));
      }
      if (apiGroup !== '') errors.push(notSupported(where.child('apiGroup'), apiGroup, ['']));
      if (!isNamespaced && stringIn(subject, 'namespace') === '') errors.push(required(where.child('namespace')));
      return;
    case 'User':
    case 'Group':
      if (apiGroup !== group) errors.push(notSupported(where.child('apiGroup'), apiGroup, [group]));
      return;
    default:
      errors.push(notSupported(where.child('kind'), stringIn(subject, 'kind'), ['ServiceAccount', 'User', 'Group']));
  }
}
