import type { ImageDetected, ResourceTemplate } from '../api/index.ts';
import { defaultCommitMessage } from './commit-message.ts';
import { checkDetectionFields } from './detection-check.ts';
import { type PlannedFile, planFiles, render } from './file-plan.ts';
import { templateData } from './template-data.ts';
import type { SchemaOf } from './type-check.ts';

interface RenderedDetection {
  readonly files: readonly PlannedFile[];
  readonly message: string;
  readonly warnings: readonly string[];
}

/** Everything a template renders for a detection. Pure: the same inputs give the same files at any time. */
export function renderDetection(
  { spec: detection }: Pick<ImageDetected, 'spec'>,
  { spec }: Pick<ResourceTemplate, 'spec'>,
  schemaOf: SchemaOf,
): RenderedDetection {
  checkDetectionFields(detection);
  const data = templateData(detection, spec);
  const nowMs = Date.parse(detection.detectedAt);
  const files = planFiles({ spec, data, nowMs, schemaOf });
  const text = spec.gitRepository.commitMessage || defaultCommitMessage;
  const message = render(text, 'spec.gitRepository.commitMessage', { data, nowMs }).trim();
  return { files, message, warnings: files.flatMap(({ warnings = [] }) => warnings) };
}
