import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseApiVersion } from '../../../object/index.ts';
import {
  applyBuiltinDefaults,
  applyDefaults,
  type BuiltinData,
  checkCrd,
  decodeTyped,
  type FieldError,
  type Fields,
  invalidStatus,
  linkSchemas,
  objectMetaDefinition,
  pruneUnknown,
  renderDecodeError,
  renderUnknownFields,
  type Schema,
  validate,
  validateCreate,
  validateUpdate,
} from '../index.ts';
import { objectIn, stringIn, withField } from '../value.ts';
import { builtinCases, type Case } from './builtin.ts';
import { type CustomCase, customCases } from './custom.ts';
import { acceptedOutcome, type Outcome, refusedOutcome } from './outcome.ts';

const read = (path: string): unknown => JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));
const data = read('../../../schema/generated/builtin.json') as BuiltinData;
const recorded = read('./recorded.json') as Readonly<Record<string, Outcome>>;
const schemas = linkSchemas(data);

describe('a new or changed object of a built-in kind is answered as the real server did', () => {
  for (const example of builtinCases) {
    it(example.title, () => {
      expect(answer(example)).toEqual(recorded[example.title]);
    });
  }
});

describe('a custom resource and its definition are answered as the real server did', () => {
  for (const example of customCases) {
    it(example.title, () => {
      expect(customAnswer(example)).toEqual(recorded[example.title]);
    });
  }
});

function answer({ object, update }: Case): Outcome {
  const created = builtinAnswer(object);
  if (!update || 'code' in created.outcome) return created.outcome;
  return builtinAnswer(update, created.object).outcome;
}

function builtinAnswer(given: Fields, old?: Fields): { outcome: Outcome; object: Fields } {
  const { group, version } = parseApiVersion(stringIn(given, 'apiVersion'));
  const kind = stringIn(given, 'kind');
  const schema = schemas.schemaOf({ group, version, kind })!;
  const isNamespaced = isNamespacedKind(group, kind);
  const pruned = pruneUnknown(given, schema);
  const decoded = decodeTyped(pruned.object, schema);
  if (!decoded.ok) return { outcome: refusedOutcome(400, decoded.message, []), object: given };
  if (pruned.dropped.length > 0) {
    const message = renderDecodeError(given, renderUnknownFields(pruned.dropped).strict);
    return { outcome: refusedOutcome(400, message, []), object: given };
  }
  const object = withNamespace(applyBuiltinDefaults(decoded.object, schema), isNamespaced);
  const errors = old ? validateUpdate(withVersion(old), withVersion(object)) : validateCreate(object, { isNamespaced });
  if (errors.length === 0) return { outcome: acceptedOutcome(object), object };
  return { outcome: refused(group, kind, object, errors), object };
}

function refused(group: string, kind: string, object: Fields, errors: readonly FieldError[]): Outcome {
  const name = stringIn(objectIn(object, 'metadata'), 'name');
  return refusedOutcome(422, invalidStatus({ group, kind, name, errors }).message, errors);
}

function customAnswer({ schema, isRoot, spec, crd: changes }: CustomCase): Outcome {
  const openAPIV3Schema = isRoot ? schema : { type: 'object', properties: { spec: schema } };
  const crdSpec = {
    group: 'example.com',
    scope: 'Cluster',
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    ...changes,
    names: { plural: 'widgets', kind: 'Widget', ...(changes?.['names'] as Fields) },
  };
  const crd = {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${crdSpec.group}` },
    spec: crdSpec,
  };
  const group = 'apiextensions.k8s.io';
  const crdSchema = schemas.schemaOf({ group, version: 'v1', kind: crd.kind })!;
  const decoded = decodeTyped(crd as Fields, crdSchema);
  if (!decoded.ok) return refusedOutcome(400, decoded.message, []);
  const defaulted = applyBuiltinDefaults(decoded.object, crdSchema);
  const errors = checkCrd(defaulted);
  if (errors.length > 0) return exampleGroup(refused(group, crd.kind, defaulted, errors), crdSpec.group);
  return spec === undefined ? { accepted: {} } : widgetAnswer(spec, openAPIV3Schema as Schema);
}

function widgetAnswer(spec: unknown, schema: Schema): Outcome {
  const object = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w' }, spec };
  const objectMeta = schemas.definition(objectMetaDefinition)!;
  const pruned = pruneUnknown(object, schema, { objectMeta });
  if (pruned.dropped.length > 0) {
    const message = renderDecodeError(object, renderUnknownFields(pruned.dropped).strict);
    return refusedOutcome(400, message, []);
  }
  const defaulted = applyDefaults(pruned.object, schema);
  const errors = [...validateCreate(defaulted, { isNamespaced: false }), ...validate(defaulted, schema)];
  if (errors.length > 0) return refused('example.com', 'Widget', defaulted, errors);
  return { accepted: { spec: defaulted.spec } };
}

/** The recording has a group of its own for every definition, written as one here. */
function exampleGroup(outcome: Outcome, group: string): Outcome {
  if (!('message' in outcome) || outcome.message === undefined) return outcome;
  return { ...outcome, message: outcome.message.replaceAll(group, 'example.com') };
}

function isNamespacedKind(group: string, kind: string): boolean {
  return data.resources.some((resource) => resource.group === group && resource.kind === kind && resource.namespaced);
}

function withNamespace(object: Fields, isNamespaced: boolean): Fields {
  const metadata = objectIn(object, 'metadata') ?? {};
  return isNamespaced ? { ...object, metadata: withField(metadata, 'namespace', 'default') } : object;
}

const withVersion = (object: Fields): Fields => ({
  ...object,
  metadata: { ...objectIn(object, 'metadata'), resourceVersion: '1' },
});
