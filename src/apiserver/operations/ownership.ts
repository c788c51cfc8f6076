import { renderApiVersion } from '../../object/index.ts';
import type { Schema } from '../../schema/index.ts';
import { FieldSet } from '../fields/index.ts';
import { hasSubresource, type ResourceDefinition } from '../resources/definition.ts';

const status = FieldSet.ofFields(['status']);
const allButStatus = FieldSet.ofFields(['spec'], ['metadata']);

/** What field ownership needs to know about a write: the kind, and the fields that this write cannot change. */
export function writeContextOf(
  definition: ResourceDefinition,
  subresource: string,
): {
  readonly apiVersion: string;
  readonly schema: Schema | undefined;
  readonly ignored: FieldSet | undefined;
} {
  const ignored = subresource === 'status' ? allButStatus : hasSubresource(definition, 'status') ? status : undefined;
  return { apiVersion: renderApiVersion(definition), schema: definition.schema, ignored };
}
