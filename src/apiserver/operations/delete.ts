import { rfc3339 } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { attributesOf } from '../admission/attributes.ts';
import { strategyOf } from '../kinds/strategies.ts';
import { type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { readForm } from '../resources/read-form.ts';
import type { Entry } from '../store/index.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';
import { conflict, modified, notFound } from './errors.ts';
import { isReleased } from './update.ts';

export interface DeleteOptions {
  readonly gracePeriodSeconds?: number | undefined;
  readonly propagationPolicy?: 'Background' | 'Foreground' | 'Orphan' | undefined;
  readonly uid?: string | undefined;
  readonly resourceVersion?: string | undefined;
}

interface DeleteRequest {
  readonly definition: ResourceDefinition;
  readonly namespace: string;
  readonly name: string;
  readonly options: DeleteOptions;
  readonly call: Call;
}

interface DeleteResult {
  readonly entry: Entry;
  /** False while finalizers or a grace period keep the object. */
  readonly gone: boolean;
}

export const foregroundFinalizer = 'foregroundDeletion';
export const orphanFinalizer = 'orphan';

const attempts = 6;

export async function deleteObject(core: Core, request: DeleteRequest): Promise<DeleteResult> {
  const { definition, namespace, name, options } = request;
  const key = storageKey(namespace, name);
  const collection = core.store.collection(definition.storage);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const entry = collection.get(key);
    if (!entry) throw notFound(definition, name);
    checkPreconditions(definition, name, entry, options);
    await admit(core, request, readForm(entry, definition));
    const now = collection.get(key);
    if (!now) throw notFound(definition, name);
    if (now === entry) return removeOrMark(core, request, entry);
  }
  throw conflict(definition, name, modified);
}

function removeOrMark(
  core: Core,
  { definition, namespace, name, options, call }: DeleteRequest,
  entry: Entry,
): DeleteResult {
  const key = storageKey(namespace, name);
  const { object } = entry;
  const marked = mark(core, definition, object, options);
  if (isReleased(marked)) {
    if (!call.dryRun) core.store.remove(definition.storage, key, object);
    return { entry, gone: true };
  }
  const unchanged = marked === object || call.dryRun;
  return { entry: unchanged ? entry : core.store.put(definition.storage, key, marked), gone: false };
}

/** The object with its deletion timestamp, grace period and the finalizer of the propagation policy. */
function mark(core: Core, definition: ResourceDefinition, object: KubeObject, options: DeleteOptions): KubeObject {
  const { metadata } = object;
  const finalizers = finalizersFor(metadata.finalizers ?? [], options.propagationPolicy);
  const grace = graceSeconds(definition, object, options);
  const isShorter = metadata.deletionTimestamp !== undefined && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (metadata.deletionTimestamp !== undefined && !isShorter && sameFinalizers) return object;
  const isFirst = metadata.deletionTimestamp === undefined;
  const counts = isFirst && metadata.generation !== undefined && strategyOf(definition).countsGenerations;
  const next = {
    ...metadata,
    deletionTimestamp: isFirst || isShorter ? rfc3339(core.clock.now() + grace * 1000) : metadata.deletionTimestamp,
    deletionGracePeriodSeconds: grace,
    ...(counts ? { generation: metadata.generation + 1 } : {}),
  };
  if (finalizers.length > 0) return withPhase({ ...object, metadata: { ...next, finalizers } });
  const { finalizers: _, ...bare } = next;
  return withPhase({ ...object, metadata: bare });
}

function withPhase(object: KubeObject): KubeObject {
  const isNamespace = object.kind === 'Namespace' && object.apiVersion === 'v1';
  return isNamespace ? { ...object, status: { ...(object['status'] as object), phase: 'Terminating' } } : object;
}

function finalizersFor(present: readonly string[], policy: DeleteOptions['propagationPolicy']): readonly string[] {
  if (policy === undefined) return present;
  const others = present.filter((finalizer) => finalizer !== foregroundFinalizer && finalizer !== orphanFinalizer);
  if (policy === 'Foreground') return [...others, foregroundFinalizer];
  if (policy === 'Orphan') return [...others, orphanFinalizer];
  return others;
}

/** Only pods that are bound to a node get time to stop. */
function graceSeconds(
  definition: ResourceDefinition,
  object: KubeObject,
  { gracePeriodSeconds }: DeleteOptions,
): number {
  if (definition.storage !== '/pods') return 0;
  const spec = object['spec'] as { readonly nodeName?: string; readonly terminationGracePeriodSeconds?: number };
  const phase = (object['status'] as { readonly phase?: string } | undefined)?.phase;
  if (!spec.nodeName || phase === 'Succeeded' || phase === 'Failed') return 0;
  return Math.max(
    0,
    gracePeriodSeconds ?? object.metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30,
  );
}

function checkPreconditions(
  definition: ResourceDefinition,
  name: string,
  { metadata }: Entry,
  { uid, resourceVersion }: DeleteOptions,
): void {
  if (uid !== undefined && uid !== metadata.uid) {
    throw conflict(
      definition,
      name,
      `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid})`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      definition,
      name,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion})`,
    );
  }
}

async function admit(
  core: Core,
  { definition, namespace, name, call }: DeleteRequest,
  live: KubeObject,
): Promise<void> {
  const attributes = attributesOf({
    operation: 'DELETE',
    definition,
    namespace,
    name,
    oldObject: live,
    optionsKind: 'DeleteOptions',
    call,
  });
  await core.admission.mutate(attributes);
  await core.admission.validate(attributes);
}
