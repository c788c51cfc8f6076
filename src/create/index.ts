/**
 * Creation: turns a detected image into files of a Git repository. Templates render the files, the image index says
 * whether the image already runs, Git takes the commit. Rendering, duplicate check and planning are pure; the
 * controllers do the I/O. It does not scan registries and does not apply objects to the cluster.
 *
 * Invariants: a detection is committed once, wherever the process dies; no version is downgraded; an existing file is
 * changed only with `duplicateCheck: exact`; a failing detection does not lose another one; Secrets come from the
 * template's own namespace, and templates of other namespaces are used only if they allow it.
 */
export { createCreator, type DryRun } from './controller.ts';
export type { PrefixOf } from './duplicate.ts';
export { CreateError } from './errors.ts';
export { type RemoteSettings, remoteOf } from './git-credentials.ts';
export { logStatistics } from './log-texts.ts';
export { createCreateMetrics } from './metrics.ts';
export { renderDetection } from './prepare.ts';
export type { PublishItem, PublishResult } from './publish-item.ts';
export { createPublisher, type Publish, type PublisherOptions } from './publisher.ts';
export { templateKeyOf } from './resolve.ts';
export { lineageOf } from './siblings.ts';
export { createTemplateCheck } from './template-controller.ts';
export { type TemplateData, templateData } from './template-data.ts';
export { findTypeErrors, type SchemaOf, type TypeSchema } from './type-check.ts';
