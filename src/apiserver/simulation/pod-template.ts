import { createHash } from 'node:crypto';
import type { Pod, PodTemplateSpec } from 'kubernetes-types/core/v1.js';
import { errorMessage, isJsonObject, mapConcurrent, renderJson } from '../../base/index.ts';
import type { KubeObject, OwnerReference } from '../../object/index.ts';
import { pods } from './kinds.ts';
import type { Context, Live, Meta } from './types.ts';
import { isAlreadyExists, removeObject } from './writes.ts';

export interface Owner {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: Meta;
}

export function controllerReference({ apiVersion, kind, metadata }: Owner): OwnerReference {
  return { apiVersion, kind, name: metadata.name, uid: metadata.uid, controller: true, blockOwnerDeletion: true };
}

interface PodDraft {
  /** Set for StatefulSets; the others get a random suffix after `<owner>-`. */
  readonly name?: string;
  readonly generateName?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly spec?: object;
}

/** A pod as a controller creates it from its template. */
export function podFromTemplate(owner: Owner, template: PodTemplateSpec, draft: PodDraft = {}): KubeObject {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const identity = draft.name
    ? { name: draft.name, generateName: `${owner.metadata.name}-` }
    : { generateName: draft.generateName ?? `${owner.metadata.name}-` };
  const allAnnotations = { ...annotations, ...draft.annotations };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...identity,
      namespace: owner.metadata.namespace ?? '',
      labels: { ...labels, ...draft.labels },
      ...(Object.keys(allAnnotations).length > 0 ? { annotations: allAnnotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: [controllerReference(owner)],
    },
    spec: { ...template.spec, ...draft.spec },
  };
}

// Pods created in one pass: a large set grows in batches, so that its status is updated and other keys get their turn.
const bite = 500;
const concurrentWrites = 8;

interface PodWrites {
  readonly owner: Owner;
  readonly component: string;
}

/** Creates the pods and records events; throws the first error after recording it. */
export async function createPods(context: Context, { owner, component }: PodWrites, drafts: readonly KubeObject[]) {
  await mapConcurrent(drafts.slice(0, bite), concurrentWrites, async (draft) => {
    try {
      const pod = await context.client.create(pods, draft);
      context.events.record(owner, {
        reason: 'SuccessfulCreate',
        message: `Created pod: ${pod.metadata.name}`,
        component,
      });
    } catch (thrown) {
      if (draft.metadata.name && isAlreadyExists(thrown)) return;
      const message = `Error creating: ${errorMessage(thrown)}`;
      context.events.record(owner, { type: 'Warning', reason: 'FailedCreate', message, component });
      throw thrown;
    }
  });
}

export async function deletePods(context: Context, { owner, component }: PodWrites, list: readonly Live<Pod>[]) {
  await mapConcurrent(list.slice(0, bite), concurrentWrites, async (pod) => {
    await removeObject(context, pods, pod);
    context.events.record(owner, {
      reason: 'SuccessfulDelete',
      message: `Deleted pod: ${pod.metadata.name}`,
      component,
    });
  });
}

// The alphabet of Kubernetes' own suffixes: no vowels, so no words.
const alphabet = 'bcdfghjklmnpqrstvwxz2456789';

/** The same for the same template in any key order, and a valid label value. */
export function templateHash(template: unknown): string {
  const digest = createHash('sha256')
    .update(renderJson(sorted(template)))
    .digest();
  return Array.from(digest.subarray(0, 10), (byte) => alphabet.charAt(byte % alphabet.length)).join('');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sorted(value[key])]),
  );
}
