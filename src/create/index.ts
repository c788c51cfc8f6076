/**
 * Creation: what becomes of a detected image. Templates make files of it, the image index says whether it runs already,
 * and Git takes the commit. What is rendered, skipped and written is pure; the controllers stand around it.
 *
 * Invariants: a detection is committed once, whatever dies when; nothing goes back to an older version; a file that is
 * there is changed only where `duplicateCheck: exact` asks for it; no detection is lost by another's fault; secrets come
 * from the template's own namespace, and templates of other namespaces only where they allow it.
 */
export { type BatchPlan, type BranchFiles, planBatch } from './batch-plan.ts';
export { type CreatorOptions, createCreator, type DryRun } from './controller.ts';
export {
  type DuplicateCheck,
  type DuplicateQuery,
  type DuplicateResult,
  findDuplicates,
  type PrefixOf,
  type SkipReason,
} from './duplicate.ts';
export { CreateError, type CreateErrorCode, createErrors } from './errors.ts';
export type { PlannedFile } from './file-plan.ts';
export { type RemoteSettings, remoteOf } from './git-credentials.ts';
export { logStatistics } from './log-texts.ts';
export { type CreateMetrics, createCreateMetrics } from './metrics.ts';
export { type RenderedDetection, renderDetection } from './prepare.ts';
export type { PublishItem, PublishResult } from './publish-item.ts';
export { createPublisher, type Publish, type PublisherOptions } from './publisher.ts';
export { type Lookups, templateKeyOf } from './resolve.ts';
export { lineageOf } from './siblings.ts';
export { createTemplateCheck, findMistakes, type TemplateCheckOptions } from './template-controller.ts';
export { type TemplateData, templateData } from './template-data.ts';
export { findTypeErrors, type SchemaOf, type TypeSchema } from './type-check.ts';
