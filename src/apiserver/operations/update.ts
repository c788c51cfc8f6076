import { renderJson } from '../../base/index.ts';
import type { GroupVersionKind, KubeObject } from '../../object/index.ts';
import { type Attributes, attributesOf } from '../admission/attributes.ts';
import { ignoreManagedTimes, updateManagedFields } from '../fields/index.ts';
import { strategyOf } from '../kinds/strategies.ts';
import { hasSubresource, type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { readForm } from '../resources/read-form.ts';
import { invalid, invalidStatus } from '../schema/index.ts';
import { isStatusError, statusError } from '../status.ts';
import { type Entry, entryOf } from '../store/index.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';
import { decode } from './decode.ts';
import { conflict, modified, notFound } from './errors.ts';
import { bodyChanged, isSameObject } from './generation.ts';
import { writeContextOf } from './ownership.ts';
import { validateChange } from './validation.ts';

interface UpdateRequest {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  /** Empty for the object itself; `status` and a few others change only their part. */
  readonly subresource: string;
  readonly operation: 'update' | 'patch';
  readonly call: Call;
  /** What admission sees instead of the object: the Scale of a Deployment. */
  readonly view?: AdmissionView;
  /** Computes the new object from the live one. A patch is applied here, and again after a conflict. */
  readonly next: (live: KubeObject) => Next;
}

interface AdmissionView {
  readonly subresource: string;
  readonly kind: GroupVersionKind;
  readonly show: (object: KubeObject) => KubeObject;
  /** Merges the view after admission back into the object. */
  readonly merge: (object: KubeObject, view: KubeObject) => KubeObject;
}

/** `owned` when the managed fields are already set, as after a server-side apply. */
export interface Next {
  readonly input: unknown;
  readonly owned?: boolean;
}

/** Number of attempts of a write without resourceVersion after conflicts. */
const attempts = 6;

export async function updateObject(core: Core, request: UpdateRequest): Promise<Entry> {
  const { definition, namespace, name } = request;
  const key = storageKey(namespace, name);
  const collection = core.store.collection(definition.storage);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const entry = collection.get(key);
    if (!entry) throw notFound(definition, name);
    const live = readForm(entry, definition);
    const draft = await draftUpdate(core, request, live);
    if (collection.get(key) !== entry) {
      if (draft.isConditional) throw conflict(definition, name, modified);
      continue;
    }
    return writeUpdate(core, request, entry, live, draft.object);
  }
  throw conflict(definition, name, modified);
}

async function draftUpdate(
  core: Core,
  request: UpdateRequest,
  live: KubeObject,
): Promise<{ object: KubeObject; isConditional: boolean }> {
  const { definition, name, subresource, call } = request;
  const next = request.next(live);
  const decoded =
    request.operation === 'patch' && !next.owned
      ? decodePatched(core, request, next.input)
      : decode(core, next.input, definition, call);
  checkIdentity(decoded, live, request);
  const isConditional = checkVersion(decoded, live, request);
  const complete = keepIdentity(decoded, live);
  const owned = next.owned ? complete : withManagedFields(core, request, live, complete);
  const own = attributesOf({
    operation: 'UPDATE',
    definition,
    namespace: request.namespace,
    name,
    subresource,
    object: owned,
    oldObject: live,
    optionsKind: 'UpdateOptions',
    call,
  });
  const { view } = request;
  const attributes = view ? viewed(own, view) : own;
  const mutated = (await core.admission.mutate(attributes)) as KubeObject;
  const object = prepare(core, request, live, view ? view.merge(owned, mutated) : mutated);
  const errors = validateChange(object, live, definition, subresource, call);
  if (errors.length > 0) throw invalidStatus({ group: definition.group, kind: definition.kind, name, errors });
  await core.admission.validate({ ...attributes, object: view ? view.show(object) : object });
  return { object, isConditional };
}

function viewed(attributes: Attributes, { subresource, kind, show }: AdmissionView): Attributes {
  const { object, oldObject } = attributes;
  return { ...attributes, subresource, kind, object: object && show(object), oldObject: oldObject && show(oldObject) };
}

/** Errors in a patched object are errors of the patch: 422 instead of 400. */
function decodePatched(core: Core, { definition, name, call }: UpdateRequest, input: unknown): KubeObject {
  try {
    return decode(core, input, definition, call);
  } catch (thrown) {
    if (!isStatusError(thrown, 400)) throw thrown;
    const errors = [invalid('patch', renderJson(input), thrown.message)];
    throw invalidStatus({ group: definition.group, kind: definition.kind, name, errors });
  }
}

function writeUpdate(
  core: Core,
  { definition, namespace, name, call }: UpdateRequest,
  entry: Entry,
  live: KubeObject,
  object: KubeObject,
): Entry {
  if (isSameObject(live, ignoreManagedTimes(live, object))) return entry;
  const stored = definition.conversion?.toStored(object) ?? object;
  if (call.dryRun) return entryOf(stored, entry.revision);
  const key = storageKey(namespace, name);
  return isReleased(stored)
    ? core.store.remove(definition.storage, key, stored)
    : core.store.put(definition.storage, key, stored);
}

/** A terminating object is removed with its last finalizer, and a pod not before its grace period ends. */
export function isReleased(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, finalizers = [] } = object.metadata;
  const spec = object['spec'] as { readonly finalizers?: readonly string[] } | undefined;
  const namespaceFinalizers = object.kind === 'Namespace' && object.apiVersion === 'v1' ? (spec?.finalizers ?? []) : [];
  return (
    deletionTimestamp !== undefined &&
    finalizers.length === 0 &&
    namespaceFinalizers.length === 0 &&
    deletionGracePeriodSeconds === 0
  );
}

function checkIdentity(
  object: KubeObject,
  live: KubeObject,
  { definition, namespace, name, operation }: UpdateRequest,
): void {
  const { metadata } = object;
  if ((metadata.name ?? name) !== name) {
    throw statusError(400, `the name of the object (${metadata.name}) does not match the name on the URL (${name})`);
  }
  if (definition.namespaced && (metadata.namespace ?? namespace) !== namespace) {
    throw statusError(
      400,
      `the namespace of the object (${metadata.namespace}) does not match the namespace on the URL (${namespace})`,
    );
  }
  if (operation === 'update' && metadata.uid && metadata.uid !== live.metadata.uid) {
    throw conflict(
      definition,
      name,
      `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${live.metadata.uid}`,
    );
  }
}

/** True when the client sent the version it saw, so that a newer version is a conflict instead of a reason to retry. */
function checkVersion(object: KubeObject, live: KubeObject, { definition, name, operation }: UpdateRequest): boolean {
  const given = object.metadata.resourceVersion ?? '';
  // A patch result contains the live version; only one with another version is conditional.
  if (operation === 'patch') {
    if (given !== '' && given !== live.metadata.resourceVersion) throw conflict(definition, name, modified);
    return false;
  }
  if (given === '') {
    if (!strategyOf(definition).needsResourceVersion) return false;
    const errors = [invalid('metadata.resourceVersion', 0, 'must be specified for an update')];
    throw invalidStatus({ group: definition.group, kind: definition.kind, name, errors });
  }
  if (given !== live.metadata.resourceVersion) throw conflict(definition, name, modified);
  return true;
}

/** Metadata that only the server sets is copied from the live object. */
function keepIdentity(object: KubeObject, live: KubeObject): KubeObject {
  const { metadata: old } = live;
  const metadata: Record<string, unknown> = { ...object.metadata };
  for (const field of ['name', 'namespace', 'generateName', 'generation', 'resourceVersion'] as const) {
    if (old[field] === undefined) delete metadata[field];
    else metadata[field] = old[field];
  }
  // Omitted values are kept; other values are rejected by the validation that follows.
  for (const field of ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const) {
    if ((metadata[field] ?? undefined) === undefined && old[field] !== undefined) metadata[field] = old[field];
  }
  delete metadata['selfLink'];
  return { ...object, metadata };
}

function withManagedFields(
  core: Core,
  { definition, subresource, call }: UpdateRequest,
  before: KubeObject,
  after: KubeObject,
): KubeObject {
  return updateManagedFields({
    before,
    after,
    manager: call.fieldManager,
    ...writeContextOf(definition, subresource),
    subresource,
    now: core.clock.now(),
  });
}

function prepare(
  core: Core,
  { definition, subresource }: UpdateRequest,
  live: KubeObject,
  input: KubeObject,
): KubeObject {
  const object = keepIdentity(input, live);
  const { managedFields } = object.metadata;
  if (subresource !== '') return preparePart(live, object, subresource, managedFields);
  const strategy = strategyOf(definition);
  let prepared: KubeObject = object;
  if (hasSubresource(definition, 'status')) {
    const { status: _, ...rest } = object;
    prepared = ('status' in live ? { ...rest, status: live['status'] } : rest) as KubeObject;
  }
  prepared = strategy.prepareUpdate?.(prepared, live, core.strategyEnvironment()) ?? prepared;
  if (!strategy.countsGenerations || !bodyChanged(live, prepared, definition)) return prepared;
  return { ...prepared, metadata: { ...prepared.metadata, generation: (live.metadata.generation ?? 0) + 1 } };
}

function preparePart(
  live: KubeObject,
  object: KubeObject,
  subresource: string,
  managedFields: KubeObject['metadata']['managedFields'],
): KubeObject {
  const metadata = { ...live.metadata, ...(managedFields ? { managedFields } : {}) };
  const spec = (live['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  const changed = (object['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  switch (subresource) {
    case 'finalize':
      return { ...live, metadata, spec: { ...spec, finalizers: changed['finalizers'] ?? [] } };
    case 'ephemeralcontainers':
      return { ...live, metadata, spec: { ...spec, ephemeralContainers: changed['ephemeralContainers'] } };
    default:
      return { ...live, metadata, status: object['status'] };
  }
}
