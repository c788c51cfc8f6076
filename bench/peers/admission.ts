import { execFileSync } from 'node:child_process';
import { Client } from 'undici';
import { locateKyverno } from '../../test/support/kyverno.ts';
import { startRealCluster } from '../../test/support/real-cluster.ts';
import { type AdmissionProcess, openAdmissionCluster } from '../support/admission-program.ts';
import { startKyvernoAdmission } from '../support/kyverno-admission.ts';
import { podReview, podSecurityPolicies } from '../support/pod-security.ts';
import { ReviewLoad } from '../support/review-load.ts';
import type { Comparison, Side, Turn, Work } from './comparison.ts';

const path = '/validate/fail';
const connections = 32;
const warmUpMs = 15_000;
const floodMs = 5000;
const paceMs = 10_000;
const few = 100;

const body = Buffer.from(JSON.stringify(podReview));

/** `supercargo run` and Kyverno's admission controller, each with an API server of its own, asked the same reviews. */
export const admission: Comparison = {
  name: 'admission',
  grows: false,
  async open({ progress }) {
    progress('Kyverno admission controller: a first build takes long');
    const located = await locateKyverno({ ...process.env, SUPERCARGO_KYVERNO: 'build' }, ['admission']);
    if (!located.kyverno) return located;
    const { admission: binary, manifest, version } = located.kyverno;
    const assets = findControlPlane(progress);
    if (assets === undefined) return { reason: 'node scripts/assets.mjs neither finds nor builds a control plane' };
    process.env['KUBEBUILDER_ASSETS'] = assets;
    const stops: (() => Promise<void>)[] = [];
    const stop = async () => {
      for (const one of stops.splice(0).reverse()) await one();
    };
    try {
      progress('starting two control planes');
      const ours = await startRealCluster();
      stops.push(ours.stop);
      const theirs = await startRealCluster();
      stops.push(theirs.stop);
      const cluster = await openAdmissionCluster({ ...ours, kubeconfig: ours.kubeconfigPath });
      stops.push(cluster.close);
      const programs = {
        ours: await cluster.start('bin/supercargo', ['admission']),
        theirs: await startKyvernoAdmission(binary, manifest, theirs),
      };
      stops.push(programs.ours.stop, programs.theirs.stop);
      progress('warming both up');
      for (const program of Object.values(programs)) await withLoad(program, (load) => load.flood(warmUpMs));
      const work = (title: string, turn: (program: AdmissionProcess) => Promise<Measured>): Work => ({
        title: `admission: ${podSecurityPolicies.length} policies on a pod, ${title}`,
        peer: `Kyverno ${version} admission controller`,
        async turn(side: Side) {
          const program = programs[side];
          const outcome = await verdicts(program);
          return { ...(await turn(program)), peakMb: program.peakMb(), outcome };
        },
      });
      return { works: [work('at saturation', flood), work(`at ${few} reviews a second`, pace)], stop };
    } catch (thrown) {
      await stop();
      throw thrown;
    }
  },
};

function findControlPlane(progress: (line: string) => void): string | undefined {
  progress('kube-apiserver and etcd: a first build takes minutes');
  try {
    return execFileSync(process.execPath, ['scripts/assets.mjs'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

/** Connections of its own each time: a server closes those that nobody uses. */
async function withLoad<T>(program: AdmissionProcess, use: (load: ReviewLoad) => Promise<T>): Promise<T> {
  const load = await ReviewLoad.open({ ...program, path, body, connections });
  try {
    return await use(load);
  } finally {
    load.close();
  }
}

type Measured = Pick<Turn, 'cpuMs' | 'wallMs'>;

/** One review at saturation: its part of the time, and of the CPU time of all threads. */
const flood = (program: AdmissionProcess): Promise<Measured> =>
  withLoad(program, async (load) => {
    const [startMs, beforeMs] = [performance.now(), program.cpuMs()];
    const count = await load.flood(floodMs);
    return { cpuMs: (program.cpuMs() - beforeMs) / count, wallMs: (performance.now() - startMs) / count };
  });

/** One of few reviews: with its part of what the program does without requests, and the median of the times. */
const pace = (program: AdmissionProcess): Promise<Measured> =>
  withLoad(program, async (load) => {
    const beforeMs = program.cpuMs();
    const took = [...(await load.pace(few, paceMs))].sort((a, b) => a - b);
    return { cpuMs: (program.cpuMs() - beforeMs) / took.length, wallMs: took[Math.floor(took.length / 2)]! };
  });

const { object } = podReview.request;
const pods = [
  object,
  { ...object, spec: { ...object.spec, hostNetwork: true, hostPID: true } },
  {
    ...object,
    spec: {
      ...object.spec,
      containers: object.spec.containers.map((one) => ({ ...one, securityContext: { privileged: true } })),
    },
  },
  { ...object, spec: { ...object.spec, volumes: [{ name: 'config', hostPath: { path: '/etc' } }] } },
];

/** The policies that deny each of the pods. */
async function verdicts({ port, ca }: AdmissionProcess): Promise<string> {
  const client = new Client(`https://127.0.0.1:${port}`, { connect: { ca } });
  try {
    const lines: string[] = [];
    for (const pod of pods) {
      const review = { ...podReview, request: { ...podReview.request, object: pod } };
      const headers = { 'content-type': 'application/json' };
      const { body } = await client.request({
        method: 'POST',
        path: `${path}?timeout=10s`,
        headers,
        body: JSON.stringify(review),
      });
      const { response } = (await body.json()) as { readonly response: Response };
      const names = podSecurityPolicies.map(({ metadata }) => metadata.name);
      const denying = names.filter((name) => new RegExp(`(^|\\s)${name}:`).test(response.status?.message ?? ''));
      lines.push(response.allowed ? 'allowed' : `denied by ${denying.join(', ')}`);
    }
    return lines.join('\n');
  } finally {
    await client.close();
  }
}

interface Response {
  readonly allowed: boolean;
  readonly status?: { readonly message?: string };
}
