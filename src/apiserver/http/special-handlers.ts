import { renderJson, rfc3339 } from '../../base/index.ts';
import { applyJsonPatch, applyMergePatch, type KubeObject } from '../../object/index.ts';
import type { Core } from '../operations/core.ts';
import { deleteObject } from '../operations/delete.ts';
import { conflict, notFound } from '../operations/errors.ts';
import { updateObject } from '../operations/update.ts';
import { storageKey } from '../resources/definition.ts';
import { statusError } from '../status.ts';
import { type Authenticate, answerReview } from '../subresources/reviews.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import { readObject, readPatch } from './body.ts';
import { callOf, deleteOptionsOf } from './options.ts';
import type { ResourceRequest } from './resource-handler.ts';
import { send } from './respond.ts';

interface SpecialEnvironment {
  readonly core: Core;
  readonly authenticate: Authenticate;
  readonly podLogs: (pod: KubeObject, container: string) => string;
  readonly issueToken: (namespace: string, serviceAccount: string) => string;
}

/** Responds and returns true for the few paths that are not plain objects. */
export type SpecialHandler = (context: ResourceRequest) => Promise<boolean>;

export function createSpecialHandler(environment: SpecialEnvironment): SpecialHandler {
  const handlers: Readonly<Record<string, (context: ResourceRequest) => Promise<void>>> = {
    'GET pods/log': async (context) => logs(context, environment),
    'POST pods/binding': (context) => bind(context, environment),
    'POST pods/eviction': (context) => evict(context, environment),
    'POST serviceaccounts/token': (context) => token(context, environment),
  };
  return async (context) => {
    const { definition, info, request } = context;
    if (info.subresource === 'scale') return scale(context, environment.core);
    const handler = handlers[`${request.method} ${info.resource}/${info.subresource}`];
    if (handler && definition.group === '') {
      await handler(context);
      return true;
    }
    if (definition.group === '' && connectSubresources.has(`${info.resource}/${info.subresource}`)) {
      throw statusError(
        501,
        `pods and nodes of the embedded cluster are simulated: ${info.subresource} is not possible`,
        undefined,
        'NotImplemented',
      );
    }
    return review(context, environment);
  };
}

const connectSubresources = new Set([
  'pods/exec',
  'pods/attach',
  'pods/portforward',
  'pods/proxy',
  'services/proxy',
  'nodes/proxy',
]);

async function review(
  { definition, request, response, user }: ResourceRequest,
  { authenticate }: SpecialEnvironment,
): Promise<boolean> {
  if (request.method !== 'POST' || !definition.kind.endsWith('Review')) return false;
  const review = answerReview(definition, (await readObject(request)).value, user, authenticate);
  if (!review) return false;
  send(response, { code: 201, body: renderJson(review) });
  return true;
}

function podOf({ info, definition }: ResourceRequest, core: Core): KubeObject {
  const entry = core.store.collection(definition.storage).get(storageKey(info.namespace, info.name));
  if (!entry) throw notFound(definition, info.name);
  return entry.object;
}

function logs(context: ResourceRequest, { core, podLogs }: SpecialEnvironment): void {
  const pod = podOf(context, core);
  const containers = ['containers', 'initContainers', 'ephemeralContainers']
    .flatMap((field) => (pod['spec'] as Record<string, readonly { name: string }[] | undefined>)[field] ?? [])
    .map(({ name }) => name);
  const wanted = context.query.get('container') ?? containers[0] ?? '';
  if (!containers.includes(wanted))
    throw statusError(400, `container ${wanted} is not valid for pod ${context.info.name}`);
  let lines = podLogs(pod, wanted)
    .split('\n')
    .filter((line) => line !== '');
  const tail = context.query.get('tailLines');
  if (tail !== null) lines = Number(tail) === 0 ? [] : lines.slice(-Number(tail));
  const stamp = context.query.get('timestamps') === 'true' ? `${startedAt(pod)} ` : '';
  const text = lines.map((line) => `${stamp}${line}\n`).join('');
  send(context.response, { code: 200, body: text, contentType: 'text/plain' });
}

function startedAt(pod: KubeObject): string {
  const { startTime } = (pod['status'] ?? {}) as { readonly startTime?: string };
  return startTime ?? String(pod.metadata.creationTimestamp);
}

async function bind(context: ResourceRequest, { core }: SpecialEnvironment): Promise<void> {
  const body = (await readObject(context.request)).value as { target?: { name?: string } } | undefined;
  const node = body?.target?.name;
  if (!node) throw statusError(422, 'Binding is invalid: target.name: Required value');
  bindPod(core, context.info.namespace, context.info.name, node);
  send(context.response, {
    code: 201,
    body: renderJson({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  });
}

/** Binds a pod to a node: the only allowed change of `spec.nodeName`. */
export function bindPod(core: Core, namespace: string, name: string, node: string): void {
  const definition = core.catalog.findStored('/pods')!;
  const key = storageKey(namespace, name);
  const pod = core.store.collection('/pods').get(key)?.object;
  if (!pod) throw notFound(definition, name);
  const spec = pod['spec'] as { readonly nodeName?: string };
  if (spec.nodeName) throw conflict(definition, name, `pod ${name} is already assigned to node "${spec.nodeName}"`);
  const status = (pod['status'] ?? {}) as { readonly conditions?: readonly { readonly type: string }[] };
  const scheduled = {
    type: 'PodScheduled',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: rfc3339(core.clock.now()),
  };
  const conditions = [...(status.conditions ?? []).filter(({ type }) => type !== 'PodScheduled'), scheduled];
  core.store.put('/pods', key, { ...pod, spec: { ...spec, nodeName: node }, status: { ...status, conditions } });
}

async function evict(context: ResourceRequest, { core }: SpecialEnvironment): Promise<void> {
  const { info, definition, request, query, response } = context;
  const body = (await readObject(request)).value as { deleteOptions?: unknown } | undefined;
  const { dryRun, ...options } = deleteOptionsOf(body?.deleteOptions, query);
  const call = { ...callOf(context), dryRun };
  await deleteObject(core, { definition, namespace: info.namespace, name: info.name, options, call });
  send(response, {
    code: 201,
    body: renderJson({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 }),
  });
}

async function token(context: ResourceRequest, { core, issueToken }: SpecialEnvironment): Promise<void> {
  const { info, request, response } = context;
  podOf(context, core);
  const body = (await readObject(request)).value as { spec?: { expirationSeconds?: number } } | undefined;
  const seconds = body?.spec?.expirationSeconds ?? 3600;
  const status = {
    token: issueToken(info.namespace, info.name),
    expirationTimestamp: rfc3339(core.clock.now() + seconds * 1000),
  };
  send(response, {
    code: 201,
    body: renderJson({
      kind: 'TokenRequest',
      apiVersion: 'authentication.k8s.io/v1',
      metadata: { name: info.name, namespace: info.namespace },
      spec: { ...body?.spec, expirationSeconds: seconds },
      status,
    }),
  });
}

async function scale(context: ResourceRequest, core: Core): Promise<boolean> {
  const { definition, info, request, response } = context;
  const sendScale = (object: KubeObject) =>
    send(response, { code: 200, body: renderJson(scaleOf(object, definition)) });
  if (request.method === 'GET') {
    sendScale(podOf(context, core));
    return true;
  }
  if (request.method !== 'PUT' && request.method !== 'PATCH') return false;
  const change = request.method === 'PUT' ? await replacement(context) : await scalePatch(context);
  const entry = await updateObject(core, {
    definition,
    namespace: info.namespace,
    name: info.name,
    subresource: '',
    operation: 'patch',
    call: callOf(context),
    view: {
      subresource: 'scale',
      kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
      show: (object) => scaleOf(object, definition),
      merge: (object, scale) => withScale(object, scale, definition),
    },
    next: (live) => ({ input: withScale(live, change(scaleOf(live, definition)), definition) }),
  });
  sendScale(entry.object);
  return true;
}

async function replacement({ request }: ResourceRequest): Promise<(scale: KubeObject) => unknown> {
  const { value } = await readObject(request);
  return () => value;
}

async function scalePatch({ request }: ResourceRequest): Promise<(scale: KubeObject) => unknown> {
  const { type, value } = await readPatch(request, false);
  // A Scale has no lists, so a strategic merge or apply patch of it is a merge patch.
  return (scale) =>
    type === 'json' ? applyJsonPatch(scale, value as readonly unknown[]) : applyMergePatch(scale, value);
}
