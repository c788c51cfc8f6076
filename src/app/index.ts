/**
 * Composition roots: what runs together, on one machine or against a cluster. The only place where features meet. It
 * does not read arguments and does not print; `cli` does.
 *
 * The public API is light: each part is loaded on demand, so that a command loads only what it uses.
 */
export const loadLocal = () => import('./local.ts');
export const loadLocalRegistry = () => import('./local-registry.ts');
export const loadLocalFeatures = () => import('./local-features.ts');
export const loadCluster = () => import('./cluster.ts');
export const loadConfiguration = () => import('./config-load.ts');
export const loadConfigWatch = () => import('./config-watch.ts');
export const loadConfigSchema = () => import('./config-settings.ts');
export const loadConnect = () => import('./connect.ts');
export const loadInstalled = () => import('./installed.ts');
export const loadCheck = () => import('./check/index.ts');
export const loadInstall = () => import('./install.ts');
export const loadDemo = () => import('./demo/index.ts');
export const loadClusterImages = () => import('./cluster-images.ts');
export const loadLocalDashboard = () => import('./local-dashboard.ts');
export const loadReadCargo = () => import('./read-cargo.ts');
export const loadMirror = () => import('./mirror-images.ts');
export const loadRender = () => import('./render-template.ts');
export const loadExpressions = () => import('./try-expression.ts');
export const loadScan = () => import('./scan-policy.ts');
export const loadConvert = () => import('./convert-policies.ts');
export const loadFiles = () => import('../manifests/index.ts');
export const loadKubectl = () => import('./kubectl.ts');
export const loadReport = () => import('./report.ts');
export const loadJobs = () => import('./jobs.ts');
export const loadSync = () => import('./sync.ts');
export const loadOffline = () => import('../offline/index.ts');
export const loadClusterSource = () => import('./cluster-source.ts');

export type { CargoReader, ImageAnswer, ImageRow, Overview } from '../dashboard/index.ts';
export type {
  ApplySetup,
  Finding,
  FindingOptions,
  Paint,
  PolicyApplication,
  TestFileResult,
  TestRow,
} from '../offline/index.ts';
export type { CopyEvent as MirrorEvent } from '../registry/index.ts';
export type { CheckLine } from './check/index.ts';
export type { Setting as ConfigSetting } from './config-settings.ts';
export type { ExpressionLanguage } from './expression-language.ts';
export { availableFeatures, localFeatures, parseFeatures } from './features/index.ts';
export type { LocalCluster } from './local.ts';
export type { LocalFeatures } from './local-features.ts';
export { openTemporaryFolder } from './local-folder.ts';
export type { LocalRegistry } from './local-registry.ts';
export type { MirroredImage } from './mirror-images.ts';
export { findRunningCluster } from './running-clusters.ts';
export type { PolicyScan } from './scan-policy.ts';
export type { PlacedAnswer } from './try-expression.ts';
