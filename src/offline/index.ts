/**
 * Evaluates policies on files, without a cluster: `apply`, `test` and `explain`. It reads manifests, values and test
 * files, fakes the cluster for look-ups, and writes reports. It does not print and does not know command-line options.
 *
 * Invariants: nothing that is read is dropped silently; an error in a file is one line with its place; nothing is
 * fetched from a network.
 */

export { type Files, memoryFiles, nodeFiles } from '../manifests/index.ts';
export { type EvaluatedResource, openApplication, type PolicyApplication } from './apply.ts';
export { type ApplyProgress, type ApplyRun, applyToFiles, evaluateFiles } from './apply-files.ts';
export { difference } from './compare.ts';
export {
  type AsyncOfflineEvaluator,
  createAsyncOfflineEvaluator,
  type EngineResponse,
  type RuleResponse,
} from './evaluator.ts';
export { type Explanation, explainResponse, type RuleExplanation } from './explain.ts';
export { explanationTree, type NodeState, type TreeNode } from './explain-tree.ts';
export { givenNames } from './given.ts';
export { type OutputFolder, openOutputFolder } from './output-folder.ts';
export type { Rejected } from './policies.ts';
export { paintDiff, renderTree } from './render-tree.ts';
export {
  emptySummary,
  entryOf,
  entryResource,
  type Finding,
  type FindingOptions,
  findingOf,
  isBlocking,
  type Paint,
  painter,
  type ReportEntry,
  type ReportedStatus,
  type ReportSink,
  type ReportTotals,
  renderTotals,
  reportFormats,
  type SinkOptions,
  type Summary,
  statusColours,
  statuses,
} from './report/index.ts';
export { resourceName } from './resources.ts';
export { findTests, listedTests, runTestFile, summarise, type TestRow, type TestSummary } from './run-tests.ts';
export { type ApplyOptions, type ApplySetup, loadSetup } from './setup.ts';
export { renderTestJunit, renderTestMarkdown, type TestFileResult } from './test-report.ts';
