/**
 * Admission for a long time: certificates change every few seconds, requests never stop, nothing is refused that should
 * not be, and memory stays where it was. Minutes come from PROVE_ADMISSION_MINUTES, 30 without it.
 *
 * Memory is what is left after all garbage is collected: what the system says of a process depends on when V8 collects
 * and on what the allocator keeps. The median of the last third may be above that of the middle third only by what
 * certificates, caches and compiled code come and go with, however long it takes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { podSecurityPolicies } from '../../bench/support/pod-security.ts';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { readTarget } from '../e2e/cluster.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { launch, type Program, type Running, startProgram } from '../support/program.ts';
import { eventually } from '../support/wait.ts';

const minutes = Number(process.env['PROVE_ADMISSION_MINUTES'] ?? 30);
const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-prove-'));
const heapFile = path.join(folder, 'heap');
const startMs = 60_000;
const sampleMs = 2_000;
const toleratedMb = 4;
let cluster: Program;
let admission: Running;
let api: HttpClient;
let metricsUrl = '';

beforeAll(async () => {
  cluster = await startProgram(['up', '--no-demo', '--no-simulation', '--features', 'none', '-o', 'json']);
  api = createHttpClient(readTarget(cluster.ready.kubeconfig));
  for (const crd of customResourceDefinitions('prove'))
    await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
  await api.post('/api/v1/namespaces', { metadata: { name: 'prove' } });
  const config = path.join(folder, 'config.yaml');
  const seconds = (n: number) => n / 86_400;
  writeFileSync(
    config,
    JSON.stringify({
      installation: 'prove',
      namespace: 'prove',
      features: ['admission'],
      logLevel: 'info',
      server: { port: 0 },
      leaderElection: { enabled: false },
      webhook: {
        port: 0,
        exposure: 'loopback',
        tls: { authorityDays: seconds(30), certificateDays: seconds(12), overlap: '3s' },
      },
    }),
  );
  admission = launch(['run', '--config', config, '--kubeconfig', cluster.ready.kubeconfig], {
    env: {
      NODE_OPTIONS: `--import=${fileURLToPath(new URL('../support/heap-recorder.mjs', import.meta.url))}`,
      HEAP_FILE: heapFile,
    },
  });
  const address = await admission.until((_, stderr) => /"address":"([^"]+)"/.exec(stderr)?.[1], startMs);
  metricsUrl = `http://${address}/metrics`;
  await admission.until((_, stderr) => (stderr.includes('webhook server listening') ? true : undefined), startMs);
  const policies = '/apis/kyverno.io/v1/clusterpolicies';
  for (const { metadata, ...policy } of podSecurityPolicies)
    expect((await api.post(policies, { ...policy, metadata: { name: metadata.name } })).status).toBe(201);
  await eventually(async () => {
    const { items } = (await api.get(policies)).body;
    for (const item of items) expect(item['status']).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
  });
}, 3 * startMs);

afterAll(async () => {
  await api?.close();
  await admission?.stop();
  await cluster?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Asks for the next sample, and answers the one before. */
function heapMb(): number | undefined {
  let last: number | undefined;
  try {
    last = Number(readFileSync(heapFile, 'utf8')) / (1 << 20);
  } catch {
    // Nothing is written before the first question.
  }
  admission.signal('SIGUSR2');
  return last;
}

const residentMb = () =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${admission.pid}/status`, 'utf8'))?.[1]) / 1024;

it(`judges pods for ${minutes} minutes while certificates change`, {
  timeout: minutes * 60_000 + 120_000,
}, async () => {
  const pods = '/api/v1/namespaces/default/pods';
  const securityContext = {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  };
  const pod = (name: string, isGood: boolean) => ({
    metadata: { name },
    spec: {
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      containers: [{ name: 'c', image: 'nginx:1', ...(isGood ? { securityContext } : {}) }],
    },
  });
  const startedMs = performance.now();
  const endMs = startedMs + minutes * 60_000;
  const resident: number[] = [];
  const heap: number[] = [];
  const unexpected: string[] = [];
  let count = 0;
  const work = async (lane: number) => {
    while (performance.now() < endMs && unexpected.length === 0) {
      const isGood = ++count % 10 !== 0;
      const name = `p-${lane}-${count}`;
      const { status, text } = await api.post(pods, pod(name, isGood));
      if (status !== (isGood ? 201 : 400)) unexpected.push(`${status} ${text.slice(0, 300)}`);
      if (isGood) await api.delete(`${pods}/${name}`, { gracePeriodSeconds: 0 });
    }
  };
  const sampling = setInterval(() => {
    resident.push(residentMb());
    const left = heapMb();
    if (left !== undefined) heap.push(left);
  }, sampleMs);
  await Promise.all([1, 2, 3, 4].map(work));
  clearInterval(sampling);
  const metrics = await (await fetch(metricsUrl)).text();
  const swaps = Number(/certificate_changes_total (\d+)/.exec(metrics)?.[1]);
  const third = Math.floor(heap.length / 3);
  const [early, late] = [median(heap.slice(third, 2 * third)), median(heap.slice(2 * third))];
  console.info(
    `figure: admission: ${count} pods in ${minutes} min, ${swaps} certificates, heap after collection ` +
      `${early.toFixed(1)} MB in the middle, ${late.toFixed(1)} MB at the end, peak RSS ${Math.max(...resident).toFixed(0)} MB`,
  );
  expect(unexpected).toEqual([]);
  expect(swaps).toBeGreaterThanOrEqual(minutes * 3);
  expect(heap.length).toBeGreaterThan((minutes * 60_000) / sampleMs / 2);
  expect(late).toBeLessThan(early + toleratedMb);
});

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
