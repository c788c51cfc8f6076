import { errorMessage, isJsonObject } from '../../base/index.ts';
import { CreateError, type DryRun } from '../../create/index.ts';
import { type Discovery, isKubeError, type KubeClient } from '../../kube/index.ts';
import { gvkOf, type KubeObject } from '../../object/index.ts';

/** Server-side dry run of every object of the files; nothing is stored. */
export function createDryRun({
  client,
  discovery,
}: {
  readonly client: Pick<KubeClient, 'apply'>;
  readonly discovery: Pick<Discovery, 'byKind'>;
}): DryRun {
  return async (files, signal) => {
    for (const { path, documents } of files)
      for (const { value, line } of documents) {
        const fail = (why: string, cause?: unknown) =>
          new CreateError('create-dry-run', `${path}:${line}: the server rejects it: ${why}`, cause);
        const object = value as unknown as KubeObject;
        if (!isJsonObject(value) || !isJsonObject(value['metadata'])) throw fail('it is no object with metadata');
        const type = await discovery.byKind(gvkOf(object), { signal });
        if (!type) throw fail(`it has no kind ${object.apiVersion} ${object.kind}`);
        const { namespace } = object.metadata;
        const placed = type.namespaced
          ? { ...object, metadata: { ...object.metadata, namespace: namespace || 'default' } }
          : object;
        try {
          const options = { dryRun: true, force: true, fieldManager: 'supercargo-create', signal };
          await client.apply(type, placed, { ...options, fieldValidation: 'Strict' });
        } catch (thrown) {
          if (!isKubeError(thrown) || thrown.status === undefined || thrown.status >= 500) throw thrown;
          throw fail(errorMessage(thrown), thrown);
        }
      }
  };
}
