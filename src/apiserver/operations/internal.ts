import type { GroupVersionResource, KubeObject } from '../../object/index.ts';
import type { InternalClient } from '../internal-client.ts';
import { type ResourceDefinition, storageKey } from '../resources/definition.ts';
import { statusError } from '../status.ts';
import type { Call } from './context.ts';
import type { Core } from './core.ts';
import { createObject } from './create.ts';
import { deleteObject } from './delete.ts';
import { updateObject } from './update.ts';

/** Access for the server's own controllers: the same operations, without HTTP. */
export function createInternalClient(core: Core, component: string): InternalClient {
  const call = (): Call => ({
    user: { username: `system:${component}`, groups: ['system:masters', 'system:authenticated'] },
    dryRun: false,
    fieldManager: component,
    fieldValidation: 'Ignore',
    warnings: [],
  });
  return {
    get: (type, namespace, name) =>
      core.store.collection(definitionOf(core, type).storage).get(storageKey(namespace, name))?.object,
    list(type, namespace) {
      const prefix = namespace === undefined ? '' : `${namespace}/`;
      return core.store
        .collection(definitionOf(core, type).storage)
        .entries(prefix)
        .map(({ object }) => object);
    },
    watch(type, handler) {
      const collection = core.store.collection(definitionOf(core, type).storage);
      for (const { object } of collection.entries('')) handler({ type: 'ADDED', object });
      return collection.listen(({ type: change, entry, previous }) =>
        handler({ type: change, object: entry.object, ...(previous ? { previous: previous.object } : {}) }),
      );
    },
    async create(type, object) {
      const entry = await createObject(core, definitionOf(core, type), object.metadata.namespace ?? '', object, call());
      return entry.object;
    },
    async update(type, object, subresource = undefined) {
      const { name, namespace = '' } = object.metadata;
      const entry = await updateObject(core, {
        definition: definitionOf(core, type),
        namespace,
        name: name!,
        subresource: subresource ?? '',
        operation: 'update',
        call: call(),
        next: () => ({ input: object }),
      });
      return entry.object;
    },
    async delete(type, namespace, name, options = {}) {
      await deleteObject(core, { definition: definitionOf(core, type), namespace, name, options, call: call() });
    },
  };
}

function definitionOf(core: Core, type: GroupVersionResource): ResourceDefinition {
  const definition = core.catalog.find(type);
  if (!definition) throw statusError(404, `the embedded cluster does not serve ${type.resource}.${type.group}`);
  return definition;
}

/** Replaces a stored object for the server itself: no admission, no managed fields. */
export function writeDirectly(
  core: Core,
  definition: ResourceDefinition,
  object: KubeObject,
  isReleased: (object: KubeObject) => boolean,
): void {
  const key = storageKey(object.metadata.namespace ?? '', object.metadata.name!);
  if (isReleased(object)) core.store.remove(definition.storage, key, object);
  else core.store.put(definition.storage, key, object);
}
