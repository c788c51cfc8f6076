import type { FeatureName } from '../../../src/app/config.ts';
import type { Exercise } from '../exercise.ts';
import { create, detect } from './automation.ts';
import { dashboard } from './dashboard.ts';
import { jobs, sync } from './insights.ts';

/** By feature. */
export const exercises = { detect, create, sync, jobs, dashboard } satisfies Partial<Record<FeatureName, Exercise>>;
export type Exercised = keyof typeof exercises;
