import type { IsCopy } from '../../detect/index.ts';
import { createImageMapper, parseTarget, type RegistryTarget } from '../../image/index.ts';
import { imagesWithCopyIn, mirroredImageInformer } from '../../mirror/index.ts';
import type { FeatureEnvironment } from './feature.ts';

/** Where copies of images go, from the environment or the configuration. */
export function backupRegistryOf({
  config,
  env,
}: Pick<FeatureEnvironment, 'config' | 'env'>): RegistryTarget | undefined {
  const text = env['BACKUP_REGISTRY'] || config.mirror.registry;
  return text ? parseTarget(text) : undefined;
}

/**
 * Whether a repository holds copies: everything below the backup registry's path, and what the MirroredImages name. A
 * backup registry without a path may also hold other images; there only the MirroredImages count.
 */
export function createIsCopy(environment: Pick<FeatureEnvironment, 'config' | 'env' | 'informers'>): IsCopy {
  const { config, informers } = environment;
  const target = backupRegistryOf(environment);
  const isBelow =
    target && target.prefix !== '' ? createImageMapper({ target, mapping: config.mirror.mapping }).isCopy : () => false;
  const copies = mirroredImageInformer(informers, config.installation);
  return (repository) => isBelow(repository) || imagesWithCopyIn(copies, repository).length > 0;
}
