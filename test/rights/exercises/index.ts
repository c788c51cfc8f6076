import type { FeatureName } from '../../../src/app/config.ts';
import type { Exercise } from '../exercise.ts';
import { createAdmission } from './admission.ts';
import { create, detect } from './automation.ts';
import { cleanup } from './cleanup.ts';
import { dashboard } from './dashboard.ts';
import { generate } from './generate.ts';
import { jobs, sync } from './insights.ts';
import { createMirror } from './mirror.ts';
import { report } from './report.ts';

/** By feature; one for each use. */
export const exercises = {
  admission: createAdmission,
  generate: () => generate,
  report: () => report,
  cleanup: () => cleanup,
  mirror: createMirror,
  detect: () => detect,
  create: () => create,
  sync: () => sync,
  jobs: () => jobs,
  dashboard: () => dashboard,
} satisfies Partial<Record<FeatureName, () => Exercise>>;
export type Exercised = keyof typeof exercises;
