import type { ControllerRevision } from 'kubernetes-types/apps/v1.js';
import type { PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import type { LabelSelector } from '../../object/index.ts';
import { controllerRevisions } from './kinds.ts';
import type { OwnedIndex } from './owned-index.ts';
import { controllerReference, type Owner, templateHash } from './pod-template.ts';
import type { Context, Live } from './types.ts';
import { createIfAbsent, modify, removeObject } from './writes.ts';

export const revisionHashLabel = 'controller-revision-hash';

interface RevisionOptions {
  readonly owner: Owner;
  readonly template: PodTemplateSpec;
  readonly selector: LabelSelector;
  readonly historyLimit: number;
  /** Revisions of existing pods. */
  readonly inUse: ReadonlySet<string>;
}

/**
 * Keeps one ControllerRevision for each template that a StatefulSet or DaemonSet has had, the current one with the
 * highest number: `kubectl rollout history` and `undo` read only these. Returns the hash of the current one.
 */
export async function syncRevisions(context: Context, index: OwnedIndex, options: RevisionOptions): Promise<string> {
  const { owner, template, selector, historyLimit, inUse } = options;
  const { metadata } = owner;
  const hash = templateHash(template);
  const all = index
    .ownedBy(metadata.uid)
    .map((object) => object as unknown as Live<ControllerRevision & { spec?: never }>)
    .sort((a, b) => a.revision - b.revision);
  const current = all.find((one) => one.metadata.labels?.[revisionHashLabel] === hash);
  const highest = all.at(-1)?.revision ?? 0;
  if (!current) {
    await createIfAbsent(context, controllerRevisions, {
      apiVersion: 'apps/v1',
      kind: 'ControllerRevision',
      metadata: {
        name: `${metadata.name}-${hash}`,
        namespace: metadata.namespace ?? '',
        labels: { ...selector.matchLabels, [revisionHashLabel]: hash },
        ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
        ownerReferences: [controllerReference(owner)],
      },
      data: { spec: { template: { ...template, $patch: 'replace' } } },
      revision: highest + 1,
    });
  } else if (current.revision < highest) {
    const place = { type: controllerRevisions, namespace: metadata.namespace ?? '', name: current.metadata.name };
    await modify(context, place, (object) => ({ ...object, revision: highest + 1 }));
  }
  const idle = all.filter((one) => one !== current && !inUse.has(one.metadata.labels?.[revisionHashLabel] ?? ''));
  for (const one of idle.slice(0, Math.max(0, idle.length - historyLimit))) {
    await removeObject(context, controllerRevisions, one);
  }
  return hash;
}
