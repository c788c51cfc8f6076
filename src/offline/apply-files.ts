import { UsageError } from '../base/index.ts';
import { type Files, manifestFiles } from '../manifests/index.ts';
import { definitionsOf, type EvaluatedResource, type PolicyApplication } from './apply.ts';
import { type Batch, readBatches } from './batches.ts';
import type { EvaluationPool } from './evaluation-pool.ts';
import { type PayloadPaths, readPayloads } from './payloads.ts';
import { type Finding, type FindingOptions, findingOf } from './report/index.ts';
import type { ApplySetup } from './setup.ts';

export interface ApplyRun {
  readonly application: PolicyApplication;
  readonly setup: ApplySetup;
  readonly files: Files;
  /** Files, folders, and `-` for standard input. */
  readonly resources: readonly string[];
  /** Documents and requests, which some policies judge. */
  readonly payloads?: PayloadPaths | undefined;
  readonly findings: FindingOptions;
  /** The worker program and the maximum number of threads; without it everything runs in this thread. */
  readonly threads?: { readonly program: URL; readonly count: number } | undefined;
  readonly onProgress?: ((progress: ApplyProgress) => void) | undefined;
  readonly signal: AbortSignal;
}

export interface ApplyProgress {
  readonly resources: number;
  readonly bytes: number;
  /** Undefined while standard input is read. */
  readonly totalBytes: number | undefined;
}

/** Batches queued per thread. */
const batchesAhead = 3;

/** Below this size, starting threads takes longer than the work. */
const worthThreads = 2 * 1024 * 1024;

/**
 * Evaluates everything in the files, in order. At most a few batches per thread are in memory, whatever the input size.
 */
export async function* applyToFiles(run: ApplyRun): AsyncGenerator<Finding> {
  const paths = run.resources.flatMap((path) => [...manifestFiles(run.files, path)]);
  const sizes = paths.map((path) => run.files.size(path));
  const totalBytes = sizes.includes(undefined) ? undefined : sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  const scheduler = new Scheduler(run, (totalBytes ?? 0) >= worthThreads);
  let [resources, bytes] = [0, 0];
  const count = (findings: readonly Finding[]) => {
    resources += findings.length;
    run.onProgress?.({ resources, bytes, totalBytes });
    return findings;
  };
  try {
    for (const path of paths) {
      for await (const batch of readBatches(run.files, path)) {
        run.signal.throwIfAborted();
        bytes += batch.text.length;
        for await (const findings of scheduler.add(batch)) yield* count(findings);
      }
    }
    for await (const findings of scheduler.rest()) yield* count(findings);
    for (const evaluated of run.application.evaluatePayloads(readPayloads(run.files, run.payloads ?? {})))
      yield* count([findingOf(evaluated, run.findings)]);
  } finally {
    await scheduler.close();
  }
  const { json = [], http = [], envoy = [] } = run.payloads ?? {};
  if (resources === 0) throw noResources([...run.resources, ...json, ...http, ...envoy]);
}

/** The responses one by one, in this thread: for callers that need more than the findings. */
export async function* evaluateFiles(
  application: PolicyApplication,
  files: Files,
  resources: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<EvaluatedResource> {
  let count = 0;
  for (const path of resources.flatMap((given) => [...manifestFiles(files, given)])) {
    for await (const batch of readBatches(files, path)) {
      signal.throwIfAborted();
      for (const evaluated of application.evaluateBatch(batch)) {
        count++;
        yield evaluated;
      }
    }
  }
  if (count === 0) throw noResources(resources);
}

const noResources = (paths: readonly string[]) =>
  new UsageError('offline-no-resources', `there is no resource in ${paths.join(', ')}`);

/** Distributes batches to threads once there are enough, and returns findings in the order of the batches. */
class Scheduler {
  private seen = 0;
  private pool: EvaluationPool | undefined;
  private readonly underWay: Promise<readonly Finding[]>[] = [];

  constructor(
    private readonly run: ApplyRun,
    private isLarge: boolean,
  ) {}

  async *add(batch: Batch): AsyncGenerator<readonly Finding[]> {
    this.seen += batch.text.length;
    this.isLarge ||= this.seen >= worthThreads;
    const { application, threads } = this.run;
    if (!this.isLarge || threads === undefined || threads.count < 2) {
      yield this.evaluate(batch);
      return;
    }
    this.pool ??= await this.open(threads);
    const definitions = definitionsOf(batch);
    application.learn(definitions);
    if (definitions.length > 0) this.pool.learn(definitions);
    // This thread evaluates too, once the others have enough queued.
    const findings = this.pool.isBusy ? Promise.resolve(this.evaluate(batch)) : this.pool.evaluate(batch);
    // Awaited later, in order; an earlier failure must not count as unhandled.
    findings.catch(() => undefined);
    this.underWay.push(findings);
    while (this.underWay.length > batchesAhead * this.pool.size) yield await this.underWay.shift()!;
  }

  private evaluate(batch: Batch): readonly Finding[] {
    const { application, findings: options } = this.run;
    return [...application.evaluateBatch(batch)].map((evaluated) => findingOf(evaluated, options));
  }

  private async open({ program, count }: NonNullable<ApplyRun['threads']>): Promise<EvaluationPool> {
    const { openPool } = await import('./evaluation-pool.ts');
    const { setup, findings: options, application } = this.run;
    const pool = openPool(program, count - 1, { setup, options });
    if (application.definitions.length > 0) pool.learn(application.definitions);
    return pool;
  }

  async *rest(): AsyncGenerator<readonly Finding[]> {
    while (this.underWay.length > 0) yield await this.underWay.shift()!;
  }

  async close(): Promise<void> {
    await this.pool?.close();
  }
}
