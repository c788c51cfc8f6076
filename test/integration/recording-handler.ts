import type { InformerHandler } from '../../src/kube/index.ts';
import type { KubeObject } from '../../src/object/index.ts';

export const identity = ({ metadata }: KubeObject): string => `${metadata.uid}@${metadata.resourceVersion}`;

/** An informer handler that records every call that contradicts earlier calls. */
export class RecordingHandler {
  readonly problems: string[] = [];
  /** The existing objects by key, according to the calls so far. */
  readonly alive = new Map<string, string>();
  readonly counts = { added: 0, updated: 0, deleted: 0 };
  private readonly handled = new Set<string>();

  readonly handler: InformerHandler<KubeObject> = {
    onAdd: ({ key, stored }) => {
      this.counts.added++;
      if (this.alive.has(key)) this.problems.push(`${key} was added twice`);
      this.see(key, stored);
    },
    onUpdate: ({ key, stored, previous }) => {
      this.counts.updated++;
      if (this.alive.get(key) !== identity(previous)) this.problems.push(`${key} was updated from an unknown state`);
      if (previous.metadata.uid === stored.metadata.uid && Number(versionOf(stored)) < Number(versionOf(previous)))
        this.problems.push(`${key} went back from ${versionOf(previous)} to ${versionOf(stored)}`);
      this.see(key, stored);
    },
    onDelete: ({ key }) => {
      this.counts.deleted++;
      if (!this.alive.delete(key)) this.problems.push(`${key} was deleted twice`);
    },
  };

  private see(key: string, object: KubeObject): void {
    const id = identity(object);
    if (this.handled.has(id)) this.problems.push(`${id} of ${key} was handled twice`);
    this.handled.add(id);
    this.alive.set(key, id);
  }
}

const versionOf = ({ metadata }: KubeObject) => metadata.resourceVersion;
