import { isJsonObject, SupercargoError } from '../base/index.ts';
import { CelError, CelObject, misplacedTypes, toDocument } from '../cel/index.ts';
import { applyJsonPatch, type KubeObject } from '../object/index.ts';
import type { MutationResult } from './result.ts';

/** The object with the list of `JSONPatch{…}` that an expression gave applied; a failed `test` leaves it as it was. */
export function applyPatchValue(object: KubeObject, value: unknown): MutationResult {
  if (!Array.isArray(value)) return { error: 'type mismatch: JSONPatchType.expression should evaluate to array' };
  const operations: unknown[] = [];
  for (const item of value) {
    const operation = operationOf(item);
    if ('error' in operation) return operation;
    operations.push(operation.operation);
  }
  try {
    const patched = applyJsonPatch(object, operations);
    if (!isKubeObject(patched)) return { error: 'JSON Patch: the result is not an object with a kind' };
    return { object: patched };
  } catch (thrown) {
    if (!(thrown instanceof SupercargoError)) throw thrown;
    return thrown.code === 'object-patch-test-failed' ? { object } : { error: `JSON Patch: ${thrown.message}` };
  }
}

function operationOf(item: unknown): { readonly operation: unknown } | { readonly error: string } {
  if (!(item instanceof CelObject)) {
    return { error: 'type mismatch: JSONPatchType.expression should evaluate to array of JSONPatch' };
  }
  const { value, ...rest } = item.fields;
  const misplaced = value instanceof CelObject ? misplacedTypes(value) : [];
  if (misplaced.length > 0) return { error: `type mismatch: ${misplaced.join('\n')}` };
  const document = value === undefined ? undefined : toDocument(value);
  if (document instanceof CelError) {
    return {
      error: `JSONPath valueExpression evaluated to a type that could not marshal to JSON: ${document.message}`,
    };
  }
  const { op = '', path = '', from } = rest;
  return {
    operation: { op, path, ...(from ? { from } : {}), ...(document === undefined ? {} : { value: document }) },
  };
}

const isKubeObject = (value: unknown): value is KubeObject =>
  isJsonObject(value) &&
  typeof value['apiVersion'] === 'string' &&
  typeof value['kind'] === 'string' &&
  isJsonObject(value['metadata']);
