import { type KubeObject, labelSelectorOf, parseApiVersion } from '../../../object/index.ts';
import type { ResourceDefinition } from '../../resources/definition.ts';
import type { ParamKind, ParamRef } from './types.ts';

/** Where params are looked up. */
export interface ParamSource {
  readonly findKind: (kind: ParamKind) => ResourceDefinition | undefined;
  readonly get: (definition: ResourceDefinition, namespace: string, name: string) => KubeObject | undefined;
  readonly list: (definition: ResourceDefinition, namespace: string) => readonly KubeObject[];
}

/** A policy or a binding that cannot be evaluated as it is configured. */
export class ConfigurationError extends Error {}

/** The kind of a policy's params; undefined for a policy without. */
export function paramDefinition(kind: ParamKind | undefined, source: ParamSource): ResourceDefinition | undefined {
  if (!kind) return undefined;
  const found = source.findKind(kind);
  if (found) return found;
  const { group, version } = parseApiVersion(kind.apiVersion);
  const shown = `${group}/${version}, Kind=${kind.kind}`;
  throw new ConfigurationError(`failed to find resource referenced by paramKind: '${shown}'`);
}

/** The params with which a binding's policy is evaluated, once with each; null where it has none. */
export function collectParams(
  definition: ResourceDefinition | undefined,
  ref: ParamRef | undefined,
  namespace: string,
  source: ParamSource,
): readonly (KubeObject | null)[] {
  if (!definition || !ref) return [null];
  const where = paramNamespace(definition, ref, namespace);
  const found = select(definition, ref, where, source);
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny') {
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  }
  return found;
}

function paramNamespace({ namespaced }: ResourceDefinition, ref: ParamRef, namespace: string): string {
  const given = ref.namespace ?? '';
  if (!namespaced) {
    if (given === '') return '';
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  }
  if (given !== '') return given;
  if (namespace !== '') return namespace;
  throw new ConfigurationError(
    'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
  );
}

function select(
  definition: ResourceDefinition,
  { name = '', selector }: ParamRef,
  namespace: string,
  source: ParamSource,
): readonly KubeObject[] {
  if (name !== '') {
    const found = source.get(definition, namespace, name);
    return found ? [found] : [];
  }
  const matches = labelSelectorOf(selector);
  return source.list(definition, namespace).filter(({ metadata }) => matches(metadata.labels));
}
