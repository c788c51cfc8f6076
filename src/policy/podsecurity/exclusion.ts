import { matchesWildcard } from '../pattern/index.ts';
import type { PodSecurityExclusion } from '../types.ts';
import type { BadValue, FieldError } from './check.ts';
import { checkIdsOf } from './controls.ts';
import type { FailedCheck } from './evaluate.ts';
import { type ContainerType, type Pod, text } from './pod.ts';

type CheckPod = (pod: Pod) => readonly FailedCheck[];

/**
 * Takes out of the failed checks what an exclusion covers. It covers what fails on a pod cut down to its subject (the
 * containers with its images; without images, the pod with a single empty container): each such field error takes one
 * error on the same field with it, in the container of the same name. A check goes when its last error goes.
 */
export function exempt(
  failed: readonly FailedCheck[],
  pod: Pod,
  exclusion: PodSecurityExclusion,
  checkPod: CheckPod,
): readonly FailedCheck[] {
  const ids = checkIdsOf(exclusion.controlName);
  if (ids.length === 0 || !failed.some((check) => ids.includes(check.id))) return failed;
  const images = exclusion.images ?? [];
  const subject = images.length > 0 ? withImages(pod, images) : withoutContainers(pod);
  const identify = (owner: Pod) => (error: FieldError) => identityOf(error, images.length > 0 ? owner : undefined);
  const remaining = new Map(failed.map((check) => [check.id, check]));
  for (const covered of checkPod(subject)) {
    const check = ids.includes(covered.id) ? remaining.get(covered.id) : undefined;
    if (!check?.errors) continue;
    const applying = (covered.errors ?? []).filter((error) => covers(exclusion, error));
    const errors = removeEach(check.errors, applying.map(identify(subject)), identify(pod));
    if (errors.length > 0) remaining.set(check.id, { ...check, errors });
    else if (applying.length > 0) remaining.delete(check.id);
  }
  return [...remaining.values()];
}

/** The last error takes the place of a removed one: the order in which upstream lists what is left. */
function removeEach(
  errors: readonly FieldError[],
  identities: readonly string[],
  identify: (error: FieldError) => string,
): readonly FieldError[] {
  const left = [...errors];
  for (const identity of identities) {
    const index = left.findIndex((error) => identify(error) === identity);
    if (index === -1) continue;
    const last = left.pop()!;
    if (index < left.length) left[index] = last;
  }
  return left;
}

function covers(exclusion: PodSecurityExclusion, error: FieldError): boolean {
  const { restrictedField = '', values = [] } = exclusion;
  if (restrictedField !== '' && anyIndex(error.field) !== restrictedField) return false;
  return values.length === 0 || textsOf(error.badValue).every((value) => matchesAny(values, value));
}

function textsOf(badValue: BadValue | undefined): readonly string[] {
  if (badValue === undefined || badValue === '') return [];
  return Array.isArray(badValue) ? badValue : [String(badValue)];
}

const anyIndex = (field: string): string => field.replace(/\d+/g, '*');

const containerField = /^spec\.(initContainers|containers|ephemeralContainers)\[(\d+)\]/;

/** The identity of a field error; `owner` if the container is part of it. */
function identityOf(error: FieldError, owner: Pod | undefined): string {
  const found = owner && containerField.exec(error.field);
  if (!found) return anyIndex(error.field);
  const container = owner[found[1] as ContainerType][Number(found[2])];
  return `${anyIndex(error.field)} ${container ? text(container, 'name') : ''}`;
}

const matchesAny = (patterns: readonly string[], value: string): boolean =>
  patterns.some((pattern) => matchesWildcard(pattern, value));

function withImages(pod: Pod, images: readonly string[]): Pod {
  const hasImage = (container: Readonly<Record<string, unknown>>) => matchesAny(images, text(container, 'image'));
  return {
    annotations: {},
    spec: {},
    initContainers: pod.initContainers.filter(hasImage),
    containers: pod.containers.filter(hasImage),
    ephemeralContainers: pod.ephemeralContainers.filter(hasImage),
  };
}

function withoutContainers(pod: Pod): Pod {
  return { ...pod, initContainers: [], containers: [{ name: 'fake' }], ephemeralContainers: [] };
}
