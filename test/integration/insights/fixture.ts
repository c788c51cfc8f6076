import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { type Connection, connect } from '../../../src/app/connect.ts';
import { createSyncProgram, readSyncConfig, type SyncProgramOptions, type SyncResult } from '../../../src/app/sync.ts';
import { createLogger } from '../../../src/base/index.ts';
import { createHttpClient, type HttpClient } from '../../support/http-client.ts';
import { type InsightsServer, startInsightsServer } from '../../support/insights-server.ts';
import type { Cluster } from '../../support/real-cluster.ts';
import { eventually } from '../../support/wait.ts';
import { collections, definitions } from './policies.ts';

export interface SyncRun {
  readonly result: SyncResult;
  /** Every line of the account, parsed. */
  readonly lines: readonly Readonly<Record<string, unknown>>[];
  readonly closing: Readonly<Record<string, unknown>>;
  readonly diff: string;
}

/** One cluster with policy kinds and one Insights, made clean before each test. */
export interface InsightsFixture {
  readonly api: HttpClient;
  readonly connection: Connection;
  readonly insights: InsightsServer;
  readonly target: Cluster;
  readonly folder: string;
  /** Everything that was printed or logged so far, by any run of the file. */
  readonly printed: string[];
  sync(
    env?: Readonly<Record<string, string>>,
    options?: Partial<SyncProgramOptions>,
    signal?: AbortSignal,
  ): Promise<SyncRun>;
  /** Registers what ends with the test. */
  atEnd(close: () => unknown): void;
}

export function createInsightsFixture(start: () => Promise<Cluster>): InsightsFixture {
  let running: { target: Cluster; api: HttpClient; connection: Connection; folder: string } | undefined;
  let insights: InsightsServer | undefined;
  const printed: string[] = [];
  const closers: (() => unknown)[] = [];
  const current = () => {
    if (!running) throw new Error('the cluster is not running');
    return running;
  };
  const log = createLogger({ level: 'debug', destination: { write: (text: string) => void printed.push(text) } });

  beforeAll(async () => {
    const target = await start();
    const api = createHttpClient(target);
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-insights-'));
    const connection = await connect({ env: {}, kubeconfig: target.kubeconfigPath, log });
    running = { target, api, connection, folder };
    await define(api);
  }, 120_000);
  afterAll(async () => {
    await running?.connection.client.close();
    await running?.api.close();
    await running?.target.stop();
    if (running) rmSync(running.folder, { recursive: true, force: true });
  }, 60_000);
  beforeEach(async () => {
    insights = await startInsightsServer();
    for (const collection of collections) {
      const { body } = await current().api.get(collection);
      for (const { metadata } of body.items) {
        const inNamespace = metadata.namespace
          ? collection.replace(/\/([^/]+)$/, `/namespaces/${metadata.namespace}/$1`)
          : collection;
        await current().api.delete(`${inNamespace}/${metadata.name}`);
      }
    }
  });
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await insights?.stop();
    expect(printed.join('\n')).not.toContain('very-secret-token');
  });

  return {
    get api() {
      return current().api;
    },
    get connection() {
      return current().connection;
    },
    get target() {
      return current().target;
    },
    get folder() {
      return current().folder;
    },
    get insights() {
      return insights!;
    },
    printed,
    async sync(env = {}, options = {}, signal = new AbortController().signal) {
      const lines: Readonly<Record<string, unknown>>[] = [];
      const diffs: string[] = [];
      const given = { ...insights!.env, ...env };
      const program = createSyncProgram({
        config: readSyncConfig(given),
        connection: current().connection,
        lock: 'lease',
        env: { PATH: process.env['PATH'], ...given },
        temporaryDir: current().folder,
        log,
        output: {
          line: (line) => {
            printed.push(JSON.stringify(line));
            lines.push(line);
          },
          diff: (title, text) => {
            printed.push(title, text);
            diffs.push(`${title}\n${text}`);
          },
        },
        ...options,
      });
      try {
        const result = await program.run(signal);
        return { result, lines, closing: lines.at(-1)!, diff: diffs.join('\n') };
      } finally {
        await program.close();
      }
    },
    atEnd: (close) => void closers.push(close),
  };
}

async function define(api: HttpClient): Promise<void> {
  for (const definition of definitions) {
    const answer = await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    expect(answer.status, answer.text).toBe(201);
  }
  for (const collection of collections)
    await eventually(async () => expect((await api.get(collection)).status).toBe(200));
  await api.post('/api/v1/namespaces', { metadata: { name: 'team-a' } });
  await api.post('/api/v1/namespaces', { metadata: { name: 'team-b' } });
}
