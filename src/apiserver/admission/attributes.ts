import type { GroupVersionKind, GroupVersionResource, KubeObject } from '../../object/index.ts';
import type { Call } from '../operations/context.ts';
import type { ResourceDefinition } from '../resources/definition.ts';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** One request as admission sees it. */
export interface Attributes {
  readonly operation: Operation;
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  readonly subresource: string;
  readonly namespaced: boolean;
  readonly namespace: string;
  readonly name: string;
  /** Absent for DELETE. */
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  /** The CreateOptions, UpdateOptions, … of the request. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly call: Call;
}

interface AttributesInput {
  readonly operation: Operation;
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly subresource?: string;
  readonly object?: KubeObject;
  readonly oldObject?: KubeObject;
  readonly optionsKind: 'CreateOptions' | 'UpdateOptions' | 'DeleteOptions';
  readonly call: Call;
}

export function attributesOf(input: AttributesInput): Attributes {
  const { definition, name, call, optionsKind } = input;
  const { group, version, kind, resource, namespaced } = definition;
  const ownership = { fieldManager: call.fieldManager, fieldValidation: call.fieldValidation };
  return {
    operation: input.operation,
    kind: { group, version, kind },
    resource: { group, version, resource },
    subresource: input.subresource ?? '',
    namespaced,
    // Requests for a Namespace have its own name as their namespace.
    namespace: group === '' && resource === 'namespaces' ? name : input.namespace,
    name,
    object: input.object,
    oldObject: input.oldObject,
    options: {
      kind: optionsKind,
      apiVersion: 'meta.k8s.io/v1',
      ...(call.dryRun ? { dryRun: ['All'] } : {}),
      ...(optionsKind === 'DeleteOptions' ? {} : ownership),
    },
    call,
  };
}
