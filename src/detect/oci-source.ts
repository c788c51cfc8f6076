import { SupercargoError } from '../base/index.ts';
import { isRepositoryPath, type Tag } from '../image/index.ts';
import { isRegistryError, type RegistryClient } from '../registry/index.ts';
import { type CreatedCache, createCreatedCache, readCreated } from './created.ts';
import type { ImageSource, SourceRepository } from './image-source.ts';

const noCatalogue: ReadonlySet<string> = new Set([
  'registry-forbidden',
  'registry-not-found',
  'registry-unauthorized',
  'registry-unsupported',
]);

/**
 * Any registry of the OCI distribution specification. Its tag list has only names. Digests are requested one by one for
 * the chosen tags. There is no push time, so the newest tag is found by earlier tag lists and by the dates in images.
 */
export function ociSource(
  client: RegistryClient,
  registry: string,
  cache: CreatedCache = createCreatedCache(),
): ImageSource {
  return {
    registry,
    async *repositories({ exact, prefix }, signal) {
      if (exact !== undefined) {
        yield [{ path: exact, registry }];
        return;
      }
      try {
        for await (const page of client.listRepositories(registry, { signal }))
          yield page
            .filter((path) => path.startsWith(prefix) && isRepositoryPath(path))
            .map((path): SourceRepository => ({ path, registry }));
      } catch (thrown) {
        if (!isRegistryError(thrown) || !noCatalogue.has(thrown.code)) throw thrown;
        throw new SupercargoError(
          'detect-no-catalogue',
          `${registry} does not list its repositories (${thrown.message}); name one without a star`,
          { cause: thrown, retry: 'backoff' },
        );
      }
    },
    async tags({ path }, signal) {
      const tags: string[] = [];
      for await (const page of client.listTags({ registry, path }, { signal })) tags.push(...page);
      return tags.map((tag) => ({ repository: path, tag }));
    },
    async digestOf({ repository, tag }, signal) {
      const head = await client.headManifest({ registry, path: repository }, tag as Tag, signal);
      if (head) return head.digest;
      throw new SupercargoError('detect-tag-gone', `${repository}:${tag} is listed, but does not exist`, {
        retry: 'backoff',
      });
    },
    datesOf: ({ repository, tag }, signal) => readCreated(client, { registry, path: repository }, tag, cache, signal),
    close: () => client.close(),
  };
}
