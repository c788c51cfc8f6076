import { isJsonObject, type JsonObject } from '../../../base/index.ts';
import type { KubeObject } from '../../../object/index.ts';

/** Objects that one evaluation may make. */
const maxObjects = 1_000;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** What a policy makes: a copy of an object is a new one, so what a server adds to objects is left out. */
export class GeneratedObjects {
  readonly list: KubeObject[] = [];
  /** Those that were read from a server, each with the object that it is a copy of. */
  readonly copies = new Map<KubeObject, KubeObject>();

  constructor(private readonly policyNamespace: string) {}

  /** Adds objects and those of lists, in a namespace; an empty one is for what is in none. Gives the mistake, if any. */
  add(objects: readonly unknown[], namespace: string | undefined): string | undefined {
    const place = namespace ?? this.policyNamespace;
    for (const object of objects) {
      if (!isJsonObject(object)) return 'an object is expected';
      const { kind, items: listed } = object;
      const isList = typeof kind === 'string' && kind.endsWith('List') && Array.isArray(listed);
      const items: readonly unknown[] = isList ? listed : [object];
      for (const item of items) {
        const made = isJsonObject(item) ? madeOf(item, place) : undefined;
        if (!made) return 'an object needs apiVersion, kind and metadata';
        if (this.list.length >= maxObjects) return `more than ${maxObjects} objects`;
        this.list.push(made);
        const source = sourceOf(item as JsonObject);
        if (source) this.copies.set(made, source);
      }
    }
    return undefined;
  }

  /** An object of a template says itself where it belongs. */
  addRendered(object: unknown): string | undefined {
    const metadata = isJsonObject(object) ? object['metadata'] : undefined;
    const written = isJsonObject(metadata) ? metadata['namespace'] : undefined;
    const own = this.policyNamespace;
    if (own !== '' && written && written !== own) {
      return `cross-namespace generation denied: a policy in namespace "${own}" cannot generate resources into namespace "${String(written)}"`;
    }
    return this.add([object], typeof written === 'string' && written !== '' ? written : own);
  }
}

/** Only what a server has stored has a uid. */
function sourceOf({ apiVersion, kind, metadata }: JsonObject): KubeObject | undefined {
  if (!isJsonObject(metadata)) return undefined;
  const { uid, name, namespace, resourceVersion } = metadata;
  if (typeof uid !== 'string' || uid === '' || typeof name !== 'string') return undefined;
  return {
    apiVersion,
    kind,
    metadata: { name, uid, resourceVersion, ...(typeof namespace === 'string' ? { namespace } : {}) },
  } as unknown as KubeObject;
}

function madeOf(object: Readonly<Record<string, unknown>>, namespace: string): KubeObject | undefined {
  const { apiVersion, kind, metadata, status: _, ...rest } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || !isJsonObject(metadata)) return undefined;
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _time,
    generation: _generation,
    managedFields: _managed,
    selfLink: _link,
    namespace: from,
    annotations,
    ownerReferences,
    ...kept
  } = metadata;
  const own = isJsonObject(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== lastApplied))
    : {};
  // An owner in another namespace does not exist for the garbage collector.
  const keepsOwners = ownerReferences !== undefined && (from === undefined || from === namespace);
  return {
    apiVersion,
    kind,
    metadata: {
      ...kept,
      ...(namespace === '' ? {} : { namespace }),
      ...(Object.keys(own).length > 0 ? { annotations: own } : {}),
      ...(keepsOwners ? { ownerReferences } : {}),
    },
    ...rest,
  } as unknown as KubeObject;
}
