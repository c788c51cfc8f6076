import { isJsonObject } from '../../base/index.ts';
import { type KubeObject, parseApiVersion, renderApiVersion } from '../../object/index.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import {
  applyBuiltinDefaults,
  applyDefaults,
  decodeTyped,
  invalid,
  invalidStatus,
  pruneUnknown,
  renderUnknownFields,
} from '../schema/index.ts';
import { type StatusError, statusError } from '../status.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';

/** Decodes a request body into an object of the kind: types checked, unknown fields dropped, defaults applied. */
export function decode(
  core: Pick<Core, 'catalog' | 'objectMetaSchema'>,
  input: unknown,
  definition: ResourceDefinition,
  call: Pick<Call, 'fieldValidation' | 'warnings' | 'duplicateFields'>,
): KubeObject {
  const object = checkIdentity(core, input, definition);
  const { schema } = definition;
  if (!schema) return object;
  const pruned = pruneUnknown(object, schema, { objectMeta: core.objectMetaSchema });
  if (definition.custom) {
    checkFields(pruned.dropped, definition, call);
    return applyDefaults(pruned.object, schema);
  }
  const decoded = decodeTyped(pruned.object, schema);
  if (!decoded.ok) throw statusError(400, decoded.message);
  checkFields(pruned.dropped, definition, call);
  return applyBuiltinDefaults(decoded.object, schema);
}

/** Unknown and duplicate fields: an error, a warning or ignored, by the request's fieldValidation. */
function checkFields(
  unknown: readonly string[],
  definition: ResourceDefinition,
  { fieldValidation, warnings, duplicateFields = [] }: Pick<Call, 'fieldValidation' | 'warnings' | 'duplicateFields'>,
): void {
  if (fieldValidation === 'Ignore' || (unknown.length === 0 && duplicateFields.length === 0)) return;
  const mistakes = [
    ...duplicateFields.map((path) => `duplicate field "${path}"`),
    ...renderUnknownFields(unknown).warnings,
  ];
  if (fieldValidation === 'Warn') {
    warnings.push(...mistakes);
    return;
  }
  const { kind, version } = definition;
  const strict = `strict decoding error: ${mistakes.join(', ')}`;
  throw statusError(
    400,
    definition.custom ? strict : `${kind} in version "${version}" cannot be handled as a ${kind}: ${strict}`,
  );
}

function checkIdentity(core: Pick<Core, 'catalog'>, input: unknown, definition: ResourceDefinition): KubeObject {
  if (!isJsonObject(input)) throw statusError(400, 'the body of the request must be a single object');
  const { metadata } = input;
  // For a built-in kind they default to the path; a custom resource must contain them.
  const apiVersion = input['apiVersion'] || (definition.custom ? '' : renderApiVersion(definition));
  const kind = input['kind'] || (definition.custom ? '' : definition.kind);
  if (typeof kind !== 'string' || kind === '')
    throw statusError(400, `Object 'Kind' is missing in the body of the request`);
  if (typeof apiVersion !== 'string' || apiVersion === '')
    throw statusError(400, `Object 'apiVersion' is missing in the body of the request`);
  if (apiVersion !== renderApiVersion(definition) || kind !== definition.kind) {
    throw otherKind(core, definition, apiVersion, kind, isJsonObject(metadata) ? String(metadata['name'] ?? '') : '');
  }
  if (metadata !== undefined && metadata !== null && !isJsonObject(metadata)) {
    throw statusError(
      400,
      `${kind} in version "${definition.version}" cannot be handled as a ${kind}: metadata is not an object`,
    );
  }
  const isComplete = metadata && input['kind'] && input['apiVersion'];
  return (isComplete ? input : { ...input, apiVersion, kind, metadata: metadata ?? {} }) as unknown as KubeObject;
}

function otherKind(
  { catalog }: Pick<Core, 'catalog'>,
  definition: ResourceDefinition,
  apiVersion: string,
  kind: string,
  name: string,
): StatusError {
  const { group, version } = parseApiVersion(apiVersion);
  if (definition.custom) {
    const expected = renderApiVersion(definition);
    const errors = kind !== definition.kind ? [invalid('kind', kind, `must be ${definition.kind}`)] : [];
    if (apiVersion !== expected) errors.push(invalid('apiVersion', apiVersion, `must be ${expected}`));
    return invalidStatus({ group, kind, name, errors });
  }
  const head = `${kind} in version "${version}" cannot be handled as a ${definition.kind}`;
  if (!catalog.findKind({ group, version, kind })) {
    return statusError(400, `${head}: no kind "${kind}" is registered for version "${apiVersion}"`);
  }
  const internal = definition.group === '' ? 'core' : definition.group.split('.')[0];
  return statusError(
    400,
    `${head}: converting (${version}.${kind}) to (${internal}.${definition.kind}): unknown conversion`,
  );
}
