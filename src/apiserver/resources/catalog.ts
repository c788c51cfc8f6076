import type { GroupVersionKind, GroupVersionResource } from '../../object/index.ts';
import type { ResourceDefinition } from './definition.ts';

/** Every resource the server serves now: the built-in ones and those of established CRDs. */
export class Catalog {
  private readonly byPath = new Map<string, ResourceDefinition>();
  private readonly byKind = new Map<string, ResourceDefinition>();
  private readonly custom = new Map<string, readonly ResourceDefinition[]>();
  private readonly builtins: readonly ResourceDefinition[];
  private readonly byStorage = new Map<string, ResourceDefinition>();
  private changes = 0;

  constructor(builtins: readonly ResourceDefinition[]) {
    this.builtins = builtins;
    for (const definition of builtins) this.add(definition);
  }

  /** Moves whenever the set changes, so that what is derived from it can be kept until then. */
  get generation(): number {
    return this.changes;
  }

  find(resource: GroupVersionResource): ResourceDefinition | undefined {
    return this.byPath.get(path(resource));
  }

  findKind({ group, version, kind }: GroupVersionKind): ResourceDefinition | undefined {
    return this.byKind.get(kindPath({ group, version, kind }));
  }

  hasGroupVersion(group: string, version: string): boolean {
    for (const definition of this.all()) if (definition.group === group && definition.version === version) return true;
    return false;
  }

  *all(): Iterable<ResourceDefinition> {
    yield* this.builtins;
    for (const definitions of this.custom.values()) yield* definitions;
  }

  /** One definition per stored resource: what namespace deletion and garbage collection go through. */
  *stored(): Iterable<ResourceDefinition> {
    for (const definition of this.byStorage.values()) if (definition.verbs.includes('get')) yield definition;
  }

  findStored(storage: string): ResourceDefinition | undefined {
    return this.byStorage.get(storage);
  }

  /** Sets what one CRD serves; an empty list takes it away. */
  setCustom(crdName: string, definitions: readonly ResourceDefinition[]): void {
    for (const old of this.custom.get(crdName) ?? []) {
      this.byPath.delete(path(old));
      this.byKind.delete(kindPath(old));
      this.byStorage.delete(old.storage);
    }
    if (definitions.length === 0) this.custom.delete(crdName);
    else this.custom.set(crdName, definitions);
    for (const definition of definitions) this.add(definition);
    this.changes++;
  }

  private add(definition: ResourceDefinition): void {
    this.byPath.set(path(definition), definition);
    this.byKind.set(kindPath(definition), definition);
    // The definition whose form is the stored one speaks for the storage.
    if (!definition.conversion || !this.byStorage.has(definition.storage))
      this.byStorage.set(definition.storage, definition);
  }
}

function path({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}

function kindPath({ group, version, kind }: GroupVersionKind): string {
  return `${group}/${version}/${kind}`;
}
