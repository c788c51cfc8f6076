import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyObject, FieldSet, updateManagedFields } from '../../src/apiserver/fields/index.ts';
import { linkSchemas, type Schema } from '../../src/apiserver/schema/index.ts';
import { isStatusError, type Status } from '../../src/apiserver/status.ts';
import { rfc3339 } from '../../src/base/index.ts';
import type { KubeObject, ObjectMeta } from '../../src/object/index.ts';
import { type Answer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type RealCluster, startRealCluster, whyNoCluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import {
  type Draw,
  drawDeployment,
  drawGadget,
  drawStatus,
  gadgetDefinition,
  gadgetSchema,
  seeded,
} from './ssa-generators.ts';

/** One kind under comparison: where the real server keeps it and how random configurations of it are made. */
interface Subject {
  readonly name: string;
  readonly apiVersion: string;
  readonly collection: string;
  readonly schema: Schema | undefined;
  readonly ignoredByStatus: FieldSet;
  readonly draw: (draw: Draw, name: string, isWhole: boolean) => KubeObject;
}

const missing = await whyNoCluster();

const builtin = linkSchemas(
  JSON.parse(readFileSync(new URL('../../src/schema/generated/builtin.json', import.meta.url), 'utf8')),
);

const subjects: readonly Subject[] = [
  {
    name: 'Deployment',
    apiVersion: 'apps/v1',
    collection: '/apis/apps/v1/namespaces/default/deployments',
    schema: builtin.schemaOf({ group: 'apps', version: 'v1', kind: 'Deployment' }),
    ignoredByStatus: FieldSet.ofFields(['spec'], ['metadata', 'labels']),
    draw: drawDeployment,
  },
  {
    name: 'custom resource',
    apiVersion: 'oracle.example/v1',
    collection: '/apis/oracle.example/v1/namespaces/default/gadgets',
    schema: gadgetSchema,
    ignoredByStatus: FieldSet.ofFields(['spec'], ['metadata']),
    draw: drawGadget,
  },
];

const sequences = Number(process.env['SSA_ORACLE_SEQUENCES'] ?? 15);
const stepsPerSequence = 12;
const managers = ['alpha', 'beta', 'gamma', 'kubectl'] as const;
const kinds = [
  ...['apply', 'force', 'force', 'force', 'repeat', 'repeat', 'broken', 'patch', 'patch', 'put', 'status'],
  ...['reset', 'claim', 'crowd'],
] as const;
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';
const ignored = FieldSet.ofFields(['status']);

describe.skipIf(missing !== undefined)(`managed fields of a real server (${missing ?? 'available'})`, () => {
  let cluster: RealCluster;
  let api: HttpClient;

  beforeAll(async () => {
    cluster = await startRealCluster();
    api = createHttpClient(cluster);
    const { status, text } = await api.post(
      '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
      gadgetDefinition,
    );
    expect(status, text).toBe(201);
    await eventually(async () => {
      const answer = await api.get('/apis/oracle.example/v1/namespaces/default/gadgets');
      if (answer.status !== 200) throw new Error(answer.text);
    });
  }, 120_000);

  afterAll(async () => {
    await api?.close();
    await cluster?.stop();
  }, 60_000);

  for (const subject of subjects)
    for (let seed = 1; seed <= sequences; seed++)
      it(
        `owns the fields of a ${subject.name} as we do, sequence ${seed}`,
        () => playSequence(api, subject, seed),
        60_000,
      );
});

async function playSequence(api: HttpClient, subject: Subject, seed: number): Promise<void> {
  const draw = seeded(seed);
  const name = `object-${seed}`;
  const path = `${subject.collection}/${name}`;
  const lastConfigs = new Map<string, KubeObject>();
  const trace: string[] = [];
  let live: KubeObject | undefined;
  for (let step = 0; step < stepsPerSequence; step++) {
    const manager = draw.one(managers);
    const before: KubeObject | undefined = live;
    const kind = before === undefined ? draw.one(['create', 'apply', 'client-side']) : draw.one(kinds);
    const fresh = subject.draw(draw, name, before === undefined || kind === 'put');
    const config = choose(kind, fresh, lastConfigs.get(manager));
    trace.push(`${kind} by ${manager}: ${JSON.stringify(config)}`);
    if (kind === 'apply' || kind === 'force' || kind === 'repeat' || kind === 'broken') {
      lastConfigs.set(manager, config);
      live = await playApply(api, { subject, path, manager, config, before, force: kind !== 'apply', trace });
    } else if (kind === 'crowd') {
      // More updaters than the server keeps apart.
      for (let i = 0; i < 12 && live !== undefined; i++) {
        const patch = { metadata: { annotations: { [`crowd-${i}`]: draw.one(['1', '2', '3']) } } };
        const crowd = { subject, path, manager: `crowd-${i}`, config: patch as unknown as KubeObject, trace };
        live = await playWrite(api, { ...crowd, before: live, kind: 'patch', status: {} });
      }
    } else
      live = await playWrite(api, { subject, path, manager, config, before, kind, trace, status: drawStatus(draw) });
  }
}

function choose(kind: string, fresh: KubeObject, last: KubeObject | undefined): KubeObject {
  if (kind === 'repeat') return last ?? fresh;
  if (kind === 'client-side') {
    const annotations = { [lastApplied]: `${JSON.stringify(fresh)}\n` };
    return { ...fresh, metadata: { ...fresh.metadata, annotations } };
  }
  return kind === 'broken' ? { ...fresh, spec: { ...(fresh['spec'] as object), bogus: 1 } } : fresh;
}

type WriteStep = Omit<ApplyStep, 'force'> & { readonly kind: string; readonly status: object };

async function playWrite(api: HttpClient, step: WriteStep): Promise<KubeObject | undefined> {
  const { subject, manager, before, kind, trace } = step;
  const { answer, sent } = await write(api, step);
  if (answer.status >= 400) return before;
  const after = answer.body as unknown as KubeObject;
  const isStatus = kind === 'status';
  const ours = updateManagedFields({
    before,
    after: { ...after, metadata: { ...without(after.metadata, 'managedFields'), ...sent } },
    manager,
    apiVersion: subject.apiVersion,
    schema: subject.schema,
    ignored: isStatus ? subject.ignoredByStatus : ignored,
    ...(isStatus ? { subresource: 'status' } : {}),
    now: timeOf(after),
  });
  expect(ours.metadata.managedFields, trace.join('\n')).toEqual(after.metadata.managedFields);
  return after;
}

/** The server stamps what came before a first apply by a clock reading of its own, which may fall into the second before. */
function inOneMoment(before: KubeObject | undefined, after: KubeObject): ObjectMeta['managedFields'] {
  const firstApply = 'before-first-apply';
  if (before?.metadata.managedFields?.some(({ manager }) => manager === firstApply))
    return after.metadata.managedFields;
  const now = timeOf(after);
  return after.metadata.managedFields?.map((entry) => {
    const isJustBefore = now - Date.parse(entry.time ?? '') === 1000;
    return entry.manager === firstApply && isJustBefore ? { ...entry, time: rfc3339(now) } : entry;
  });
}

interface ApplyStep {
  readonly subject: Subject;
  readonly path: string;
  readonly manager: string;
  readonly config: KubeObject;
  readonly before: KubeObject | undefined;
  readonly force: boolean;
  readonly trace: readonly string[];
}

async function playApply(api: HttpClient, step: ApplyStep): Promise<KubeObject | undefined> {
  const { subject, path, manager, config, before, force, trace } = step;
  const answer = await api.patch(`${path}?fieldManager=${manager}&force=${force}`, config, 'apply');
  const ours = attempt(() =>
    applyObject({
      live: before,
      applied: config,
      manager,
      force,
      apiVersion: subject.apiVersion,
      schema: subject.schema,
      ignored,
      now: timeOf(answer.body as unknown as KubeObject),
    }),
  );
  if (answer.status === 422) return before;
  if (answer.status >= 400 || 'refusal' in ours) {
    expect('refusal' in ours ? ours.refusal : ours, trace.join('\n')).toEqual(
      refusalOf(answer.body as unknown as Status),
    );
    return before;
  }
  const after = answer.body as unknown as KubeObject;
  expect(ours.object.metadata.managedFields, trace.join('\n')).toEqual(inOneMoment(before, after));
  expect(await stored(api, path, subject, ours.object), trace.join('\n')).toEqual(content(after));
  // The real server's decoding drops empty lists, maps and numbers of built-in types before it looks for changes.
  const hasEmpty = /\[\]|\{\}|:0/.test(JSON.stringify(config));
  if (!hasEmpty && before !== undefined && before.metadata.resourceVersion === after.metadata.resourceVersion)
    expect(ours.object, trace.join('\n')).toBe(before);
  return after;
}

/** What the server would store for our merged object: its defaults are its own business. */
async function stored(api: HttpClient, path: string, subject: Subject, object: KubeObject): Promise<unknown> {
  const { uid: _, resourceVersion: __, managedFields: ___, ...metadata } = object.metadata;
  const body = { ...object, metadata: { ...metadata, name: `${metadata.name}-copy` } };
  const answer = await api.post(`${subject.collection}?dryRun=All`, body);
  expect(answer.status, `${path}: ${answer.text}`).toBe(201);
  const copy = answer.body as unknown as KubeObject;
  return {
    ...(content(copy) as object),
    metadata: (content({ ...copy, metadata: { ...copy.metadata, name: metadata.name! } }) as KubeObject).metadata,
  };
}

function content(object: KubeObject): unknown {
  const { labels, annotations, finalizers, name } = object.metadata;
  const { status: _, ...rest } = object;
  return JSON.parse(JSON.stringify({ ...rest, metadata: { labels, annotations, finalizers, name } }));
}

function attempt(work: () => KubeObject): { object: KubeObject } | { refusal: unknown } {
  try {
    return { object: work() };
  } catch (thrown) {
    if (!isStatusError(thrown)) throw thrown;
    return { refusal: refusalOf(thrown.status) };
  }
}

/** The real server names managers and problems in a random order where there are several. */
function refusalOf({ code, message = '', reason, details }: Status): unknown {
  const causes = (details?.causes ?? []).map((cause) => JSON.stringify([cause.reason, cause.message, cause.field]));
  return { code, reason, message: message.split('\n').sort().join('\n'), causes: causes.sort() };
}

interface Written {
  readonly answer: Answer;
  /** The managed fields that the request carried, if any. */
  readonly sent: Pick<KubeObject['metadata'], 'managedFields'>;
}

async function write(api: HttpClient, step: WriteStep): Promise<Written> {
  const { kind, subject, path, manager, config, before, status } = step;
  const query = `fieldManager=${manager}`;
  if (before === undefined) return { answer: await api.post(`${subject.collection}?${query}`, config), sent: {} };
  if (kind === 'status') return { answer: await api.patch(`${path}/status?${query}`, { status }, 'merge'), sent: {} };
  if (kind === 'patch') return { answer: await api.patch(`${path}?${query}`, config, 'merge'), sent: {} };
  const entries = before.metadata.managedFields ?? [];
  const claimed = entries.slice(0, 2).map((entry) => ({ ...entry, manager: 'delta' }));
  const sent = kind === 'reset' ? { managedFields: [{}] } : kind === 'claim' ? { managedFields: claimed } : {};
  const replaced = kind === 'reset' || kind === 'claim' ? before : config;
  const metadata = { ...replaced.metadata, resourceVersion: before.metadata.resourceVersion, ...sent };
  return { answer: await api.put(`${path}?${query}`, { ...replaced, metadata }), sent };
}

/** When the real server acted: the latest time it wrote. */
function timeOf({ metadata }: Pick<KubeObject, 'metadata'>): number {
  return Math.max(0, ...(metadata?.managedFields ?? []).map(({ time }) => Date.parse(time ?? '1970-01-01T00:00:00Z')));
}

function without<T extends object>(object: T, key: keyof T): T {
  const { [key]: _, ...rest } = object;
  return rest as T;
}
