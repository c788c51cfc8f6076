import { describe, expect, it } from 'vitest';
import { Cargo } from './cargo.ts';
import type { CopyFact, DetectionFact, JobFact, PodFact, WorkloadFact } from './facts.ts';
import { rowOf, summaryOf } from './image-row.ts';
import type { ImageRow } from './protocol.ts';
import { seesAll, Visibility } from './visibility.ts';

const workload = (name: string, image: string, more: Partial<WorkloadFact> = {}): WorkloadFact => ({
  kind: 'Deployment',
  namespace: 'shop',
  name,
  images: [{ container: 'app', image, source: image }],
  ...more,
});

const pod = (name: string, image: string, more: Partial<PodFact> = {}): PodFact => ({
  namespace: 'shop',
  name,
  ownerKind: '',
  ownerName: '',
  deployment: '',
  node: 'node-1',
  isOver: false,
  images: [{ container: 'app', image, source: image }],
  containers: [{ imageId: '', state: 'running', reason: '', message: '' }],
  ...more,
});

const copy = (source: string, target: string, more: Partial<CopyFact> = {}): CopyFact => ({
  name: source,
  source,
  copy: target,
  state: 'copied',
  digest: '',
  sourceDigest: '',
  bytesTotal: undefined,
  bytesCopied: undefined,
  attempts: undefined,
  message: '',
  createdAt: '',
  copiedAt: '',
  checkedAt: '',
  unusedSince: '',
  ...more,
});

const job = (name: string, more: Partial<JobFact> = {}): JobFact => ({
  namespace: 'shop',
  name,
  origin: 'generated',
  state: 'running',
  image: 'nginx:1.25',
  madeBy: 'unique-job/make',
  trigger: undefined,
  type: '',
  requestId: '',
  reported: '',
  createdAt: '',
  startedAt: '',
  endedAt: '',
  reason: '',
  message: '',
  isGone: false,
  ...more,
});

const detection = (image: string, digest: string, more: Partial<DetectionFact> = {}): DetectionFact => ({
  namespace: 'team',
  name: 'd',
  image,
  digest,
  policyNamespace: 'team',
  policyName: 'p',
  phase: 'completed',
  detectedAt: '',
  pushedAt: '',
  processedAt: '2026-01-01T00:00:00Z',
  commit: '3f2a9c',
  files: [],
  reason: '',
  message: '',
  attempts: undefined,
  ...more,
});

const put = (cargo: Cargo, fact: WorkloadFact) => cargo.putWorkload(fact.kind, `${fact.namespace}/${fact.name}`, fact);
const newCargo = () => new Cargo(() => 1);
const rows = (cargo: Cargo): readonly ImageRow[] =>
  [...cargo.images.entries.values()].flatMap((entry) => {
    const summary = summaryOf(cargo, entry, seesAll);
    return summary ? [rowOf(summary, seesAll)] : [];
  });
const ids = (cargo: Cargo) =>
  rows(cargo)
    .map(({ id }) => id)
    .sort();
const digest = `sha256:${'ab'.repeat(32)}`;

describe('the images of a cargo', () => {
  it('are one for all ways to write a name', () => {
    const cargo = newCargo();
    put(cargo, workload('a', 'nginx'));
    put(cargo, workload('b', 'docker.io/library/nginx:latest'));
    expect(rows(cargo)).toMatchObject([{ id: 'docker.io/library/nginx:latest', workloads: 2, namespaces: 1 }]);
  });

  it('count a pod at its Deployment, by the hash in the name of its ReplicaSet', () => {
    const cargo = newCargo();
    put(cargo, workload('web', 'nginx:1.25'));
    const owned = { ownerKind: 'ReplicaSet', ownerName: 'web-5d4', deployment: 'web' };
    cargo.putPod('shop/web-5d4-x', pod('web-5d4-x', 'nginx:1.25', owned));
    cargo.putPod('shop/lone', pod('lone', 'nginx:1.25'));
    expect(rows(cargo)).toMatchObject([{ workloads: 2, pods: 2 }]);
  });

  it('are the sources of copies, whichever is seen first', () => {
    const target = 'backup.example/c/docker.io/library/nginx:1.25';
    for (const isCopyFirst of [true, false]) {
      const cargo = newCargo();
      const copied = copy('docker.io/library/nginx:1.25', target, { digest });
      const steps = [
        () => cargo.putCopy(copied, undefined),
        () => put(cargo, workload('web', target)),
        () => cargo.putPod('shop/p', pod('p', `${target}@${digest}`)),
      ];
      for (const step of isCopyFirst ? steps : steps.reverse()) step();
      expect(ids(cargo)).toEqual(['docker.io/library/nginx:1.25']);
      expect(rows(cargo)).toMatchObject([{ copy: 'copied', workloads: 2, pods: 1, digest }]);
      cargo.putCopy(undefined, copied);
      expect(ids(cargo)).toEqual([
        `backup.example/c/docker.io/library/nginx:1.25`,
        `backup.example/c/docker.io/library/nginx@${digest}`,
      ]);
    }
  });

  it('take along what a scanner said of the copy before the MirroredImage was seen', () => {
    const cargo = newCargo();
    const counts = { critical: 1, high: 0, medium: 0, low: 0, unknown: 0 };
    const report = { namespace: 'shop', name: 'r', image: 'backup.example/nginx:1', digest: '', scanner: '', at: '' };
    cargo.putVulnerabilities('shop/r', { ...report, counts });
    cargo.putCopy(copy('nginx:1', 'backup.example/nginx:1'), undefined);
    expect(rows(cargo)).toMatchObject([{ id: 'docker.io/library/nginx:1', vulnerabilities: { critical: 1 } }]);
    cargo.putVulnerabilities('shop/r', undefined);
    expect(rows(cargo)[0]).not.toHaveProperty('vulnerabilities');
  });

  it('find the commit of a tag also where workloads name the digest', () => {
    const cargo = newCargo();
    cargo.putDetection('team/d', detection('r.example/web:1', digest));
    put(cargo, workload('web', `r.example/web@${digest}`));
    expect(rows(cargo).find(({ id }) => id.includes('@'))).toMatchObject({ commit: { sha: '3f2a9c' } });
  });

  it('leave nothing behind when everything is gone', () => {
    const cargo = newCargo();
    put(cargo, workload('web', 'nginx:1'));
    cargo.putPod('shop/p', pod('p', 'nginx:1'));
    const copied = copy('nginx:1', 'backup.example/nginx:1');
    cargo.putCopy(copied, undefined);
    cargo.putDetection('team/d', detection('nginx:1', digest));
    cargo.putWorkload('Deployment', 'shop/web', undefined);
    cargo.putPod('shop/p', undefined);
    cargo.putCopy(undefined, copied);
    cargo.putDetection('team/d', undefined);
    expect(cargo.images.entries.size).toBe(0);
    expect(cargo.detectionsByDigest.size).toBe(0);
  });

  it('carry any text as it is, and cut what is too long to be a name', () => {
    const cargo = newCargo();
    const hostile = '<img src=x onerror=alert(1)>\u202egnp.exe\u0000';
    put(cargo, workload('a', hostile));
    put(cargo, workload('b', 'x'.repeat(10_000)));
    const [long, short] = ids(cargo).sort((a, b) => b.length - a.length);
    expect(short).toBe(hostile);
    expect(long!.length).toBeLessThan(300);
    expect(rows(cargo).every(({ registry }) => registry === '')).toBe(true);
  });
});

describe('the Jobs of a cargo', () => {
  it('stay with their end when their objects are gone', () => {
    const cargo = newCargo();
    cargo.putJob('shop/a', job('a', { state: 'succeeded' }));
    cargo.putJob('shop/b', job('b'));
    for (const key of ['shop/a', 'shop/b', 'shop/b']) cargo.putJob(key, undefined);
    expect([...cargo.jobs.values()]).toMatchObject([
      { name: 'a', state: 'succeeded', isGone: true },
      { name: 'b', state: 'failed', reason: 'Deleted', isGone: true },
    ]);
    expect(rows(cargo)).toMatchObject([{ id: 'docker.io/library/nginx:1.25', jobs: { succeeded: 1, failed: 1 } }]);
  });

  it('are forgotten, the oldest first, when too many are gone', () => {
    const cargo = newCargo();
    cargo.putJob('shop/alive', job('alive', { image: '' }));
    for (let index = 0; index < 2_010; index++) {
      cargo.putJob(`shop/${index}`, job(String(index), { state: 'succeeded', image: `app:${index}` }));
      cargo.putJob(`shop/${index}`, undefined);
    }
    expect(cargo.jobs.size).toBe(2_001);
    expect(cargo.jobs.has('shop/alive')).toBe(true);
    expect(cargo.jobs.has('shop/9')).toBe(false);
    expect(cargo.images.entries.size).toBe(2_000);
  });
});

describe('the events of a cargo', () => {
  it('of one namespace do not push out those of another', () => {
    const cargo = newCargo();
    const event = (namespace: string, name: string) => {
      const about = { apiVersion: 'v1', kind: 'Pod', namespace, name, type: 'Normal', reason: 'Pulled', message: '' };
      cargo.putEvent(`${namespace}/${name}`, { ...about, count: 1, at: '' });
    };
    for (let index = 0; index < 10; index++) event('shop', String(index));
    for (let index = 0; index < 5_000; index++) event('mallory', String(index));
    const namespaces = [...cargo.events.values()].map(({ namespace }) => namespace);
    expect(namespaces.filter((name) => name === 'shop')).toHaveLength(10);
    expect(namespaces).toHaveLength(2_000);
    expect(cargo.events.has('mallory/4999')).toBe(true);
    expect(cargo.events.has('mallory/0')).toBe(false);
  });
});

describe('the changes of a cargo', () => {
  it('are merged until they are taken, with the namespaces that they concern', () => {
    const cargo = newCargo();
    put(cargo, workload('a', 'nginx:1'));
    put(cargo, workload('b', 'nginx:1', { namespace: 'other' }));
    const changes = cargo.changes.take();
    expect([...(changes?.images?.keys() ?? [])]).toEqual(['docker.io/library/nginx:1']);
    const pods = (namespace: string) => new Visibility(new Set(), new Map([['pods', new Set([namespace])]]));
    const of = ['shop', 'other', 'third'].map((name) => changes?.views.get('images')?.isSeenBy(pods(name)));
    expect(of).toEqual([true, true, false]);
    expect(cargo.changes.take()).toBeUndefined();
  });
});
