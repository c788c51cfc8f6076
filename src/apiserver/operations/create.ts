import { randomUUID } from 'node:crypto';
import { rfc3339 } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { updateManagedFields } from '../fields/index.ts';
import { strategyOf } from '../kinds/strategies.ts';
import { hasSubresource, type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { invalidStatus } from '../schema/index.ts';
import { StatusError, statusError } from '../status.ts';
import { type Entry, entryOf } from '../store/index.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';
import { decode } from './decode.ts';
import { alreadyExists } from './errors.ts';
import { writeContextOf } from './ownership.ts';
import { validateNew } from './validation.ts';

/** Number of attempts for a generated name that already exists. */
const nameAttempts = 8;

/** Decodes, admits, validates and stores a new object. */
export async function createObject(
  core: Core,
  definition: ResourceDefinition,
  namespace: string,
  input: unknown,
  call: Call,
): Promise<Entry> {
  const decoded = checkNew(decode(core, input, definition, call), definition, namespace);
  return finishCreate(core, definition, namespace, owned(core, definition, decoded, call), call);
}

/** Shared with a server-side apply of a new object, where the managed fields are already set. */
export async function finishCreate(
  core: Core,
  definition: ResourceDefinition,
  namespace: string,
  input: KubeObject,
  call: Call,
): Promise<Entry> {
  const attributes = attributesOf({
    operation: 'CREATE',
    definition,
    namespace,
    name: input.metadata.name ?? '',
    object: input,
    optionsKind: 'CreateOptions',
    call,
  });
  const mutated = (await core.admission.mutate(attributes)) as KubeObject;
  const taken = (name: string) =>
    core.store.collection(definition.storage).get(storageKey(namespace, name)) !== undefined;
  const name = mutated.metadata.name || generateName(mutated, core.randomSuffix, taken, definition);
  const prepared = prepare(core, definition, name, mutated);
  const errors = validateNew(prepared, definition, call);
  if (errors.length > 0) throw invalidStatus({ group: definition.group, kind: definition.kind, name, errors });
  await core.admission.validate({ ...attributes, name, object: prepared });
  if (taken(name)) throw alreadyExists(definition, name);
  const stored = definition.conversion?.toStored(prepared) ?? prepared;
  if (call.dryRun) return entryOf(stored, 0);
  return core.store.put(definition.storage, storageKey(namespace, name), stored);
}

function checkNew(object: KubeObject, definition: ResourceDefinition, namespace: string): KubeObject {
  const { metadata } = object;
  if (metadata.resourceVersion) {
    // The real server responds with 500 without a reason here, because it treats this as an internal error.
    const { reason: _, ...status } = statusError(
      500,
      'resourceVersion should not be set on objects to be created',
    ).status;
    throw new StatusError(status);
  }
  const given = metadata.namespace ?? '';
  if (given !== '' && given !== namespace) {
    throw statusError(400, `the namespace of the provided object does not match the namespace sent on the request`);
  }
  const { namespace: _, ...rest } = metadata;
  return { ...object, metadata: definition.namespaced ? { ...rest, namespace } : rest };
}

function owned(core: Core, definition: ResourceDefinition, object: KubeObject, call: Call): KubeObject {
  return updateManagedFields({
    before: undefined,
    after: object,
    manager: call.fieldManager,
    ...writeContextOf(definition, ''),
    now: core.clock.now(),
  });
}

function prepare(core: Core, definition: ResourceDefinition, name: string, object: KubeObject): KubeObject {
  const strategy = strategyOf(definition);
  const environment = core.strategyEnvironment();
  const {
    deletionTimestamp: _,
    deletionGracePeriodSeconds: __,
    selfLink: ___,
    ...metadata
  } = object.metadata as KubeObject['metadata'] & { selfLink?: string };
  let prepared: KubeObject = {
    ...object,
    metadata: {
      ...metadata,
      name,
      uid: randomUUID(),
      creationTimestamp: rfc3339(environment.now),
      ...(strategy.countsGenerations ? { generation: 1 } : {}),
    },
  };
  if (hasSubresource(definition, 'status') && 'status' in prepared) prepared = withoutStatus(prepared, definition);
  return strategy.prepareCreate?.(prepared, environment) ?? prepared;
}

function withoutStatus(object: KubeObject, definition: ResourceDefinition): KubeObject {
  const { status: _, ...rest } = object;
  // Go writes the status of a built-in kind even when it is empty.
  return (definition.custom ? rest : { ...rest, status: {} }) as KubeObject;
}

function generateName(
  object: KubeObject,
  suffix: () => string,
  taken: (name: string) => boolean,
  definition: ResourceDefinition,
): string {
  const base = object.metadata.generateName ?? '';
  if (base === '') return '';
  // 63 minus the suffix of 5: the part that Kubernetes keeps of a long prefix.
  for (let attempt = 0; attempt < nameAttempts; attempt++) {
    const name = `${base.slice(0, 58)}${suffix()}`;
    if (!taken(name)) return name;
  }
  throw alreadyExists(definition, base);
}
