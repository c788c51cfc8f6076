import { validateDns1035Label, validateDnsSubdomain } from '../../../object/index.ts';
import { duplicate, type FieldError, invalid, notSupported, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { type Fields, isObject, isUnset, listIn, numberIn, objectIn, stringIn } from '../value.ts';
import { checkOptionalOneOf } from './common.ts';
import { checkMatchConditions, hasSameConditions } from './expressions.ts';
import { checkSelector } from './selector.ts';

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const reviewVersions = ['v1', 'v1beta1'];

/** A Validating- or MutatingWebhookConfiguration. */
export function checkWebhookConfiguration(object: Fields, errors: FieldError[], old?: Fields): void {
  const names = new Set<string>();
  const keepsConditions = old !== undefined && haveSameConditions(listIn(old, 'webhooks'), listIn(object, 'webhooks'));
  for (const [i, webhook] of listIn(object, 'webhooks').entries()) {
    if (!isObject(webhook)) continue;
    const where = Path.of('webhooks').at(i);
    checkWebhook(webhook, where, errors);
    if (!keepsConditions) checkMatchConditions(webhook, { hasParams: false }, where, errors);
    checkReviewVersions(listIn(webhook, 'admissionReviewVersions'), where.child('admissionReviewVersions'), errors);
    const name = stringIn(webhook, 'name');
    if (name !== '' && names.has(name)) errors.push(duplicate(where.child('name'), name));
    names.add(name);
  }
}

function haveSameConditions(before: readonly unknown[], after: readonly unknown[]): boolean {
  if (before.length !== after.length) return false;
  return before.every((webhook, i) => {
    const other = after[i];
    return isObject(webhook) && isObject(other) && hasSameConditions(webhook, other);
  });
}

function checkWebhook(webhook: Fields, where: Path, errors: FieldError[]): void {
  checkQualifiedName(stringIn(webhook, 'name'), where.child('name'), errors);
  for (const [i, rule] of listIn(webhook, 'rules').entries()) {
    if (isObject(rule)) checkRule(rule, where.child('rules').at(i), errors);
  }
  checkOptionalOneOf(webhook, 'failurePolicy', ['Fail', 'Ignore'], where, errors);
  checkOptionalOneOf(webhook, 'matchPolicy', ['Equivalent', 'Exact'], where, errors);
  const effects = ['None', 'NoneOnDryRun'];
  if (isUnset(webhook['sideEffects'])) {
    errors.push(required(where.child('sideEffects'), `must specify one of ${effects.join(', ')}`));
  } else if (!effects.includes(stringIn(webhook, 'sideEffects'))) {
    errors.push(notSupported(where.child('sideEffects'), webhook['sideEffects'], effects));
  }
  const timeout = numberIn(webhook, 'timeoutSeconds');
  if (timeout !== undefined && (timeout > 30 || timeout < 1)) {
    errors.push(invalid(where.child('timeoutSeconds'), timeout, 'the timeout value must be between 1 and 30 seconds'));
  }
  checkSelector(objectIn(webhook, 'namespaceSelector'), where.child('namespaceSelector'), errors);
  checkSelector(objectIn(webhook, 'objectSelector'), where.child('objectSelector'), errors);
  checkOptionalOneOf(webhook, 'reinvocationPolicy', ['IfNeeded', 'Never'], where, errors);
  checkClientConfig(objectIn(webhook, 'clientConfig') ?? {}, where.child('clientConfig'), errors);
}

function checkQualifiedName(name: string, where: Path, errors: FieldError[]): void {
  if (name === '') {
    errors.push(required(where));
    return;
  }
  const issues = validateDnsSubdomain(name);
  if (issues.length > 0) errors.push(invalid(where, name, issues.join(',')));
  else if (name.split('.').length < 3) {
    errors.push(invalid(where, name, 'should be a domain with at least three segments separated by dots'));
  }
}

/** A rule of a webhook or a policy. */
export function checkRule(rule: Fields, where: Path, errors: FieldError[]): void {
  const given = listIn(rule, 'operations');
  if (given.length === 0) errors.push(required(where.child('operations')));
  if (given.length > 1 && given.includes('*')) {
    errors.push(invalid(where.child('operations'), given, "if '*' is present, must not specify other operations"));
  }
  for (const [i, operation] of given.entries()) {
    if (!operations.includes(String(operation))) {
      errors.push(notSupported(where.child('operations').at(i), operation, operations));
    }
  }
  for (const [key, what] of [
    ['apiGroups', 'API groups'],
    ['apiVersions', 'API versions'],
  ] as const) {
    const values = listIn(rule, key);
    if (values.length === 0) errors.push(required(where.child(key)));
    if (values.length > 1 && values.includes('*')) {
      errors.push(invalid(where.child(key), values, `if '*' is present, must not specify other ${what}`));
    }
  }
  for (const [i, version] of listIn(rule, 'apiVersions').entries()) {
    if (version === '') errors.push(required(where.child('apiVersions').at(i)));
  }
  checkResources(listIn(rule, 'resources').map(String), where.child('resources'), errors);
  checkOptionalOneOf(rule, 'scope', ['*', 'Cluster', 'Namespaced'], where, errors);
}

function checkResources(resources: readonly string[], where: Path, errors: FieldError[]): void {
  if (resources.length === 0) errors.push(required(where));
  const wholeResources = new Set<string>();
  const wholeSubresources = new Set<string>();
  for (const [i, name] of resources.entries()) {
    if (name === '') errors.push(required(where.at(i)));
    const slash = name.indexOf('/');
    if (slash === -1) continue;
    const resource = name.slice(0, slash);
    const subresource = name.slice(slash + 1);
    if (wholeResources.has(resource)) {
      errors.push(invalid(where.at(i), name, `if '${resource}/*' is present, must not specify ${name}`));
    }
    if (wholeSubresources.has(subresource)) {
      errors.push(invalid(where.at(i), name, `if '*/${subresource}' is present, must not specify ${name}`));
    }
    if (subresource === '*') wholeResources.add(resource);
    if (resource === '*') wholeSubresources.add(subresource);
  }
  if (resources.length > 1 && resources.includes('*/*')) {
    errors.push(invalid(where, resources, "if '*/*' is present, must not specify other resources"));
  }
  const lastPlain = resources.filter((name) => name !== '' && !name.includes('/')).at(-1);
  if (resources.includes('*') && lastPlain !== undefined && lastPlain !== '*') {
    errors.push(invalid(where, resources, "if '*' is present, must not specify other resources without subresources"));
  }
}

/** Where a webhook is called: a URL or a Service, never both. */
export function checkClientConfig(config: Fields, where: Path, errors: FieldError[]): void {
  const service = objectIn(config, 'service');
  const hasUrl = !isUnset(config['url']);
  if (hasUrl === (service !== undefined)) errors.push(required(where, 'exactly one of url or service is required'));
  else if (service) checkServiceReference(service, where.child('service'), errors);
  else checkUrl(stringIn(config, 'url'), where.child('url'), errors);
}

function checkUrl(text: string, where: Path, errors: FieldError[]): void {
  const form = '; desired format: https://host[/path]';
  const match = /^(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/.exec(text);
  const [, scheme = '', authority = '', , query = '', fragment = ''] = match ?? [];
  if (scheme !== 'https') errors.push(invalid(where, scheme, `'https' is the only allowed URL scheme${form}`));
  const at = authority.lastIndexOf('@');
  if (authority.slice(at + 1) === '') errors.push(invalid(where, '', `host must be specified${form}`));
  if (at !== -1) errors.push(invalid(where, authority.slice(0, at), 'user information is not permitted in the URL'));
  if (fragment !== '') errors.push(invalid(where, fragment, 'fragments are not permitted in the URL'));
  if (query !== '') errors.push(invalid(where, query, 'query parameters are not permitted in the URL'));
}

function checkServiceReference(service: Fields, where: Path, errors: FieldError[]): void {
  for (const key of ['name', 'namespace']) if (stringIn(service, key) === '') errors.push(required(where.child(key)));
  const port = numberIn(service, 'port') ?? 443;
  if (port < 1 || port > 65_535) {
    errors.push(invalid(where.child('port'), port, 'port is not valid: must be between 1 and 65535, inclusive'));
  }
  const path = stringIn(service, 'path');
  if (path === '' || path === '/') return;
  if (!path.startsWith('/')) errors.push(invalid(where.child('path'), path, "must start with a '/'"));
  for (const [i, step] of path.slice(1).replace(/\/$/, '').split('/').entries()) {
    if (step === '') errors.push(invalid(where.child('path'), path, `segment[${i}] may not be empty`));
    else
      for (const issue of validateDnsSubdomain(step))
        errors.push(invalid(where.child('path'), path, `segment[${i}]: ${issue}`));
  }
}

function checkReviewVersions(versions: readonly unknown[], where: Path, errors: FieldError[]): void {
  if (versions.length === 0) {
    errors.push(required(where, `must specify one of ${reviewVersions.join(', ')}`));
    return;
  }
  const seen = new Set<unknown>();
  for (const [i, version] of versions.entries()) {
    if (seen.has(version)) errors.push(invalid(where.at(i), version, 'duplicate version'));
    else for (const issue of validateDns1035Label(String(version))) errors.push(invalid(where.at(i), version, issue));
    seen.add(version);
  }
  if (!reviewVersions.some((version) => seen.has(version))) {
    errors.push(invalid(where, versions, `must include at least one of ${reviewVersions.join(', ')}`));
  }
}
