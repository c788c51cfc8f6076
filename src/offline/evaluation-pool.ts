import { Worker } from 'node:worker_threads';
import { UsageError } from '../base/index.ts';
import type { KubeObject } from '../object/index.ts';
import type { Batch } from './batches.ts';
import type { Finding, FindingOptions } from './report/index.ts';
import type { ApplySetup } from './setup.ts';

export interface WorkerSetup {
  readonly setup: ApplySetup;
  readonly options: FindingOptions;
}

export type WorkerTask =
  | { readonly kind: 'batch'; readonly batch: Batch }
  | { readonly kind: 'definitions'; readonly definitions: readonly KubeObject[] };

export type WorkerResponse =
  | { readonly findings: readonly Finding[] }
  | { readonly error: { readonly code: string; readonly message: string } };

/** Worker threads that evaluate. A batch goes to the thread with the shortest queue. */
export interface EvaluationPool {
  readonly size: number;
  /** Every thread has enough queued. */
  readonly isBusy: boolean;
  evaluate(batch: Batch): Promise<readonly Finding[]>;
  /** Sends custom kinds to every thread, before the batches that follow. */
  learn(definitions: readonly KubeObject[]): void;
  close(): Promise<void>;
}

interface Waiting {
  resolve(findings: readonly Finding[]): void;
  reject(thrown: unknown): void;
}

interface Thread {
  readonly worker: Worker;
  /** Responses come in the order of the tasks. */
  readonly waiting: Waiting[];
}

export function openPool(program: URL, size: number, data: WorkerSetup): EvaluationPool {
  const threads = Array.from({ length: size }, () => startThread(program, data));
  const send = ({ worker, waiting }: Thread, task: WorkerTask) =>
    new Promise<readonly Finding[]>((resolve, reject) => {
      waiting.push({ resolve, reject });
      worker.postMessage(task);
    });
  return {
    size,
    get isBusy() {
      return threads.every(({ waiting }) => waiting.length >= 2);
    },
    evaluate(batch) {
      const idlest = threads.reduce((best, thread) => (thread.waiting.length < best.waiting.length ? thread : best));
      return send(idlest, { kind: 'batch', batch });
    },
    learn(definitions) {
      for (const thread of threads) void send(thread, { kind: 'definitions', definitions });
    },
    async close() {
      await Promise.all(threads.map(({ worker }) => worker.terminate()));
    },
  };
}

function startThread(program: URL, data: WorkerSetup): Thread {
  const worker = new Worker(program, { workerData: data });
  const waiting: Waiting[] = [];
  worker.on('message', (response: WorkerResponse) => {
    const next = waiting.shift();
    if ('findings' in response) next?.resolve(response.findings);
    else next?.reject(new UsageError(response.error.code, response.error.message));
  });
  worker.on('error', (thrown) => {
    for (const next of waiting.splice(0)) next.reject(thrown);
  });
  return { worker, waiting };
}
