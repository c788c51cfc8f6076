import { isKubeError, type KubeClient, type ListOptions, type ObjectList, type ResourceType } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { forbidden } from './errors.ts';

/** Whether an informer's lists fail now. An informer retries forever; work that needs it must not wait forever. */
export class ListFailures {
  private last: unknown;
  private readonly waiting = new Set<(thrown: unknown) => void>();

  constructor(private readonly type: ResourceType) {}

  /** The client for the informer; it records failures of lists. */
  observe(client: KubeClient): KubeClient {
    const failed = (thrown: unknown) => this.failed(thrown);
    const worked = () => {
      this.last = undefined;
    };
    return {
      ...client,
      async *pages<T extends KubeObject>(type: ResourceType, options?: ListOptions): AsyncGenerator<ObjectList<T>> {
        try {
          yield* client.pages<T>(type, options);
        } catch (thrown) {
          failed(thrown);
          throw thrown;
        }
        worked();
      },
    };
  }

  /** Waits for `work`, and rejects as soon as a list fails. */
  async orFail(work: Promise<void>): Promise<void> {
    if (this.last !== undefined) throw this.last;
    let fail = (_: unknown) => {};
    const failure = new Promise<never>((_, reject) => {
      fail = reject;
    });
    this.waiting.add(fail);
    try {
      await Promise.race([work, failure]);
    } finally {
      this.waiting.delete(fail);
    }
  }

  private failed(thrown: unknown): void {
    const { resource, group } = this.type;
    const name = group === '' ? resource : `${resource}.${group}`;
    this.last = isKubeError(thrown, 'kube-forbidden') ? forbidden('list', name, undefined, thrown) : thrown;
    for (const fail of this.waiting) fail(this.last);
  }
}
