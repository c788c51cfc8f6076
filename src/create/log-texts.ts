import type { ImageDetected } from '../api/index.ts';
import type { Logger } from '../base/index.ts';
import type { ImageIndex } from '../inventory/index.ts';
import type { DuplicateResult } from './duplicate.ts';

const maxShown = 10;

/** Prescribed texts: users search their logs for them. */
export function logDuplicates(log: Logger, { spec }: ImageDetected, { uses, reason }: DuplicateResult): void {
  log.info('Image existence check completed', {
    imageName: spec.fullImageName,
    exists: reason !== undefined,
    usageCount: uses.length,
  });
  if (reason === undefined) return;
  log.info('Image already exists in cluster, skipping resource creation and Git operations', {
    imageName: spec.fullImageName,
    reason,
  });
  for (const { user, container } of uses.slice(0, maxShown))
    log.info('Found existing resource using this image', {
      resourceKind: user.kind,
      resourceName: user.name,
      resourceNamespace: user.namespace,
      containerName: container,
    });
}

export function logStatistics(log: Logger, { totals }: ImageIndex): void {
  log.info('Cluster-wide image usage scan completed', { ...totals });
  log.info('Cache statistics', { ...totals });
}
