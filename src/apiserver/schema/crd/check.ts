import { dequal } from 'dequal';
import { validateDns1035Label, validateDnsSubdomain } from '../../../object/index.ts';
import type { Schema } from '../../../schema/index.ts';
import { checkSchemaRules } from '../cel/index.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts';
import { Path } from '../path.ts';
import { checkClientConfig, checkMetadata, checkMetadataUpdate, dnsSubdomainName, immutable } from '../rules/index.ts';
import { type Fields, isObject, isUnset, listIn, objectIn, stringIn } from '../value.ts';
import { checkKeywords } from './keywords.ts';
import { checkSchemaDefaults } from './schema-defaults.ts';
import { checkStructural } from './structural.ts';

const specPath = Path.of('spec');

/** The mistakes in a CustomResourceDefinition; with `old`, also what may not change. Expects it defaulted. */
export function checkCrd(crd: Fields, old?: Fields): FieldError[] {
  const errors: FieldError[] = [];
  const spec = objectIn(crd, 'spec') ?? {};
  if (old) checkMetadataUpdate(old, crd, errors);
  else checkMetadata(crd, { isNamespaced: false, nameRule: nameRule(spec) }, errors);
  checkSpec(spec, old, errors);
  checkStoredVersions(crd, spec, errors);
  if (!old) checkApproval(crd, spec, errors);
  if (spec['preserveUnknownFields'] === true && objectIn(old, 'spec')?.['preserveUnknownFields'] !== true) {
    const detail =
      'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
    errors.push(invalid(specPath.child('preserveUnknownFields'), true, detail));
  }
  if (old) checkNamesUpdate(old, spec, errors);
  return errors;
}

const nameRule = (spec: Fields) => (name: string, isPrefix: boolean) => {
  const issues = [...dnsSubdomainName(name, isPrefix)];
  const wanted = `${stringIn(objectIn(spec, 'names'), 'plural')}.${stringIn(spec, 'group')}`;
  if (name !== wanted) issues.push('must be spec.names.plural+"."+spec.group');
  return issues;
};

function checkSpec(spec: Fields, old: Fields | undefined, errors: FieldError[]): void {
  const group = stringIn(spec, 'group');
  const groupPath = specPath.child('group');
  const issues = validateDnsSubdomain(group);
  if (group === '') errors.push(required(groupPath));
  else if (issues.length > 0) errors.push(invalid(groupPath, group, issues.join(',')));
  else if (!group.includes('.')) errors.push(invalid(groupPath, group, 'should be a domain with at least one dot'));
  checkChoice(stringIn(spec, 'scope'), ['Cluster', 'Namespaced'], specPath.child('scope'), errors);
  checkVersions(spec, old, errors);
  checkNames(objectIn(spec, 'names') ?? {}, errors);
  checkConversion(objectIn(spec, 'conversion'), errors);
}

function checkChoice(value: string, accepted: readonly string[], where: Path, errors: FieldError[]): void {
  if (value === '') errors.push(required(where));
  else if (!accepted.includes(value)) errors.push(notSupported(where, value, accepted));
}

function checkVersions(spec: Fields, old: Fields | undefined, errors: FieldError[]): void {
  const versions = listIn(spec, 'versions').filter(isObject);
  const where = specPath.child('versions');
  for (const [i, version] of versions.entries()) {
    if (!objectIn(objectIn(version, 'schema'), 'openAPIV3Schema')) {
      errors.push(required(where.at(i).child('schema', 'openAPIV3Schema')));
    }
  }
  const names = versions.map((version) => stringIn(version, 'name'));
  for (const [i, name] of names.entries()) {
    const issues = validateDns1035Label(name);
    if (issues.length > 0) errors.push(invalid(where.at(i).child('name'), name, issues.join(',')));
  }
  // What all versions share, the real server reports once, where its older API kept it.
  const isShared = (key: string) => versions.every((version) => dequal(version[key], versions[0]?.[key]));
  const isSchemaShared = isShared('schema');
  const areColumnsShared = isShared('additionalPrinterColumns');
  const areSubresourcesShared = isShared('subresources');
  for (const [i, version] of versions.entries()) {
    const isFirst = i === 0;
    const at = (isTop: boolean, top: string, own: string) => (isTop ? specPath.child(top) : where.at(i).child(own));
    if (isFirst || !isSchemaShared) checkSchema(version, at(isSchemaShared, 'validation', 'schema'), old, errors);
    if (isFirst || !areColumnsShared) {
      const columns = at(areColumnsShared, 'additionalPrinterColumns', 'additionalPrinterColumns');
      for (const [j, column] of listIn(version, 'additionalPrinterColumns').entries()) {
        if (isObject(column)) checkColumn(column, columns.at(j), errors);
      }
    }
    if (isFirst || !areSubresourcesShared) {
      checkScale(version, at(areSubresourcesShared, 'subresources', 'subresources'), errors);
    }
    checkDeprecation(version, where.at(i), errors);
  }
  if (new Set(names).size < names.length) errors.push(invalid(where, versions, 'must contain unique version names'));
  if (versions.filter((version) => version['storage'] === true).length !== 1) {
    errors.push(invalid(where, versions, 'must have exactly one version marked as storage version'));
  }
}

function checkSchema(version: Fields, where: Path, old: Fields | undefined, errors: FieldError[]): void {
  const schema = objectIn(objectIn(version, 'schema'), 'openAPIV3Schema');
  if (!schema) return;
  const here = where.child('openAPIV3Schema');
  if (schema['nullable'] === true)
    errors.push(forbidden(here.child('nullable'), 'nullable cannot be true at the root'));
  const keywords = checkKeywords(schema, here);
  const structural = checkStructural(schema, here);
  errors.push(...structural);
  // Defaults can only be judged by a schema that is sound itself.
  if (structural.length === 0 && keywords.length === 0) errors.push(...checkSchemaDefaults(schema, here));
  errors.push(...keywords);
  if (structural.length > 0 || keywords.length > 0) return;
  // What is not sound has no types to check rules by.
  const before = listIn(objectIn(old, 'spec'), 'versions').filter(isObject);
  const own = before.find((other) => other['name'] === version['name']);
  const isUnchanged = own !== undefined && dequal(own['schema'], version['schema']);
  errors.push(...checkSchemaRules(schema as Schema, here, { isUnchanged }));
}

const columnTypes = ['boolean', 'date', 'integer', 'number', 'string'];
const columnFormats = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];

function checkColumn(column: Fields, where: Path, errors: FieldError[]): void {
  if (stringIn(column, 'name') === '') errors.push(required(where.child('name')));
  const type = stringIn(column, 'type');
  const must = `must be one of ${columnTypes.join(',')}`;
  if (type === '') errors.push(required(where.child('type'), must));
  else if (!columnTypes.includes(type)) errors.push(invalid(where.child('type'), type, must));
  const format = stringIn(column, 'format');
  if (format !== '' && !columnFormats.includes(format)) {
    errors.push(invalid(where.child('format'), format, `must be one of ${columnFormats.join(',')}`));
  }
  const path = stringIn(column, 'jsonPath');
  if (path === '') errors.push(required(where.child('JSONPath')));
  else checkSimplePath(path, where.child('JSONPath'), errors);
}

function checkSimplePath(path: string, where: Path, errors: FieldError[]): void {
  if (!path.startsWith('.')) errors.push(invalid(where, path, 'must be a simple json path starting with .'));
}

function checkScale(version: Fields, where: Path, errors: FieldError[]): void {
  const scale = objectIn(objectIn(version, 'subresources'), 'scale');
  if (!scale) return;
  for (const [key, root] of [
    ['specReplicasPath', '.spec'],
    ['statusReplicasPath', '.status'],
  ] as const) {
    const path = stringIn(scale, key);
    const here = where.child('scale', key);
    if (path === '') errors.push(required(here));
    else if (!path.startsWith('.')) checkSimplePath(path, here, errors);
    else if (!path.startsWith(`${root}.`)) errors.push(invalid(here, path, `should be a json path under ${root}`));
  }
}

function checkDeprecation(version: Fields, where: Path, errors: FieldError[]): void {
  const warning = version['deprecationWarning'];
  if (isUnset(warning)) return;
  const here = where.child('deprecationWarning');
  if (version['deprecated'] !== true) errors.push(invalid(here, warning, 'can only be set for deprecated versions'));
  else if (String(warning).length > 256) errors.push(invalid(here, warning, 'must be <= 256 characters long'));
  else if (warning === '') errors.push(invalid(here, warning, 'must not be an empty string'));
}

function checkNames(names: Fields, errors: FieldError[]): void {
  const where = specPath.child('names');
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    if (stringIn(names, key) === '') errors.push(required(where.child(key)));
  }
  for (const key of ['plural', 'singular', 'kind', 'listKind']) {
    const name = stringIn(names, key);
    if (name === '') continue;
    const isKind = key === 'kind' || key === 'listKind';
    const issues = validateDns1035Label(isKind ? name.toLowerCase() : name).join(',');
    if (issues === '') continue;
    const detail = isKind ? `may have mixed case, but should otherwise match: ${issues}` : issues;
    errors.push(invalid(where.child(key), name, detail));
  }
  for (const key of ['shortNames', 'categories']) {
    for (const [i, name] of listIn(names, key).entries()) {
      const issues = validateDns1035Label(String(name));
      if (issues.length > 0) errors.push(invalid(where.child(key).at(i), name, issues.join(',')));
    }
  }
  const listKind = stringIn(names, 'listKind');
  if (listKind !== '' && listKind === names['kind']) {
    errors.push(invalid(where.child('listKind'), listKind, 'kind and listKind may not be the same'));
  }
}

function checkConversion(conversion: Fields | undefined, errors: FieldError[]): void {
  if (!conversion) return;
  const where = specPath.child('conversion');
  const strategy = stringIn(conversion, 'strategy');
  checkChoice(strategy, ['None', 'Webhook'], where.child('strategy'), errors);
  const webhook = objectIn(conversion, 'webhook');
  const config = objectIn(webhook, 'clientConfig');
  const configPath = where.child('webhookClientConfig');
  if (strategy !== 'Webhook') {
    if (config) errors.push(forbidden(configPath, 'should not be set when strategy is not set to Webhook'));
    return;
  }
  if (config) checkClientConfig(config, configPath, errors);
  else errors.push(required(configPath, 'required when strategy is set to Webhook'));
  const versions = listIn(webhook, 'conversionReviewVersions');
  const here = where.child('conversionReviewVersions');
  if (versions.length === 0) errors.push(required(here));
  else if (!versions.includes('v1') && !versions.includes('v1beta1')) {
    errors.push(invalid(here, versions, 'must include at least one of v1, v1beta1'));
  }
}

function checkStoredVersions(crd: Fields, spec: Fields, errors: FieldError[]): void {
  const stored = listIn(objectIn(crd, 'status'), 'storedVersions').map(String);
  const where = Path.of('status', 'storedVersions');
  if (stored.length === 0) {
    errors.push(invalid(where, stored, 'must have at least one stored version'));
    return;
  }
  const versions = listIn(spec, 'versions').filter(isObject);
  for (const version of versions) {
    const name = stringIn(version, 'name');
    if (version['storage'] === true && !stored.includes(name)) {
      errors.push(invalid(where, stored, `must have the storage version ${name}`));
    }
  }
  for (const [i, name] of stored.entries()) {
    if (versions.some((version) => version['name'] === name)) continue;
    const detail = `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;
    errors.push(invalid(where.at(i), name, detail));
  }
}

const approval = 'api-approved.kubernetes.io';

/** Groups of the Kubernetes project itself are not free to take. */
function checkApproval(crd: Fields, spec: Fields, errors: FieldError[]): void {
  if (!/(^|\.)(k8s|kubernetes)\.io$/.test(stringIn(spec, 'group'))) return;
  const value = stringIn(objectIn(objectIn(crd, 'metadata'), 'annotations'), approval);
  if (value.startsWith('unapproved') || URL.canParse(value)) return;
  const where = Path.of('metadata', 'annotations').key(approval);
  const see = 'see https://github.com/kubernetes/enhancements/pull/1111';
  if (value === '')
    errors.push(required(where, `protected groups must have approval annotation "${approval}", ${see}`));
  else {
    const must = `protected groups must have approval annotation "${approval}" with either a URL or a reason starting with "unapproved", ${see}`;
    errors.push(invalid(where, value, must));
  }
}

function checkNamesUpdate(old: Fields, spec: Fields, errors: FieldError[]): void {
  const before = objectIn(old, 'spec') ?? {};
  const names = objectIn(spec, 'names');
  const oldNames = objectIn(before, 'names');
  const isEstablished = listIn(objectIn(old, 'status'), 'conditions').some(
    (condition) => isObject(condition) && condition['type'] === 'Established' && condition['status'] === 'True',
  );
  const keep = (was: unknown, is: unknown, where: Path) => {
    if (was !== is) errors.push(invalid(where, is ?? '', immutable));
  };
  if (isEstablished) {
    keep(before['scope'], spec['scope'], specPath.child('scope'));
    keep(oldNames?.['kind'], names?.['kind'], specPath.child('names', 'kind'));
  }
  keep(before['group'], spec['group'], specPath.child('group'));
  keep(oldNames?.['plural'], names?.['plural'], specPath.child('names', 'plural'));
}
