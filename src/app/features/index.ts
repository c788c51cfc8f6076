/** The features by name, each loaded only if it is enabled. */
import { UsageError } from '../../base/index.ts';
import type { FeatureName } from '../config.ts';
import type { WireFeature } from './feature.ts';

const loaders: Partial<Record<FeatureName, () => Promise<WireFeature>>> = {
  admission: async () => (await import('./admission.ts')).wireAdmission,
  mirror: async () => (await import('./mirror.ts')).wireMirror,
  detect: async () => (await import('./detect.ts')).wireDetect,
  create: async () => (await import('./create.ts')).wireCreate,
  report: async () => (await import('./report.ts')).wireReport,
  cleanup: async () => (await import('./cleanup.ts')).wireCleanup,
  sync: async () => (await import('./sync.ts')).wireSync,
  jobs: async () => (await import('./jobs.ts')).wireJobs,
  dashboard: async () => (await import('./dashboard.ts')).wireDashboard,
  generate: async () => (await import('./generate.ts')).wireGenerate,
};

export const availableFeatures = Object.keys(loaders) as readonly FeatureName[];

/**
 * Features that need another server (Insights, a backup registry), and the page, which opens a port for people, run only
 * if they are named.
 */
const mustBeNamed: ReadonlySet<FeatureName> = new Set(['sync', 'jobs', 'mirror', 'dashboard']);
export const defaultFeatures: readonly FeatureName[] = availableFeatures.filter((name) => !mustBeNamed.has(name));
/** Locally there is a registry, and nobody else. */
export const localFeatures: readonly FeatureName[] = [...defaultFeatures, 'mirror', 'dashboard'];

/** Parses a comma-separated list of feature names. */
export function parseFeatures(text: string): readonly FeatureName[] {
  const names = text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = names.filter((name) => !(availableFeatures as readonly string[]).includes(name));
  if (unknown.length > 0)
    throw new UsageError(
      'feature-unavailable',
      `there is no feature ${unknown.join(', ')} in this version (there are ${availableFeatures.join(', ')})`,
    );
  return names as readonly FeatureName[];
}

export async function loadFeature(name: FeatureName): Promise<WireFeature> {
  const load = loaders[name];
  if (!load) throw new UsageError('feature-unavailable', `this version has no feature ${name} yet`);
  return load();
}

export type {
  AdmissionResultsFeed,
  DashboardPlace,
  FeatureEnvironment,
  PolicyProblemsFeed,
  PolicyWebhooks,
} from './feature.ts';
