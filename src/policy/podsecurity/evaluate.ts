import { PolicyError } from '../errors.ts';
import type { PodSecurityExclusion, PodSecuritySpec } from '../types.ts';
import type { CheckPod, FieldError } from './check.ts';
import { checks, controlOf } from './controls.ts';
import { exempt } from './exclusion.ts';
import { imagesOf } from './images.ts';
import { type Pod, podOf } from './pod.ts';

/** A check that a pod fails. */
export interface FailedCheck {
  readonly id: string;
  /** The name that policies use for the control; empty for a check that none can name. */
  readonly control: string;
  readonly forbiddenReason: string;
  readonly forbiddenDetail: string;
  readonly errors?: readonly FieldError[];
  /** The images of the containers that the detail names, by container name where an image is not known. */
  readonly images?: readonly string[];
}

interface PodSecurityResult {
  readonly allowed: boolean;
  readonly checks: readonly FailedCheck[];
}

interface EvaluateOptions {
  /** More exclusions, as those of a policy exception. */
  readonly exclude?: readonly PodSecurityExclusion[];
  /** The image of a container as reports write it. */
  readonly imageOf?: (containerName: string) => string | undefined;
}

/** Checks pods against one `podSecurity` rule. Throws a PolicyError for an object without a pod. */
type PodSecurityProgram = (resource: unknown, options?: EvaluateOptions) => PodSecurityResult;

const versionForm = /^v1\.([0-9]|[1-9][0-9]*)$/;

/** Throws a PolicyError for an invalid version. Every level except `baseline` has all checks. */
export function compilePodSecurity(spec: PodSecuritySpec): PodSecurityProgram {
  const minor = parseMinor(spec.version ?? '');
  const selected = checks
    .filter((check) => spec.level !== 'baseline' || check.level === 'baseline')
    .map((check) => ({
      id: check.id,
      check: (check.versions.findLast((version) => version.minor <= minor) ?? check.versions[0]!).check,
    }));
  const checkPod = (pod: Pod) => selected.flatMap(({ id, check }) => failedBy(id, check, pod));
  return (resource, options = {}) => {
    const pod = podOf(resource);
    let failed: readonly FailedCheck[] = checkPod(pod);
    for (const exclusion of [...(spec.exclude ?? []), ...(options.exclude ?? [])]) {
      if (failed.length === 0) break;
      failed = exempt(failed, pod, exclusion, checkPod);
    }
    const { imageOf } = options;
    return {
      allowed: failed.length === 0,
      checks: imageOf ? failed.map((check) => withImages(check, imageOf)) : failed,
    };
  };
}

/** Compiles and evaluates, for a single object. */
export function checkPodSecurity(
  spec: PodSecuritySpec,
  resource: unknown,
  options: EvaluateOptions = {},
): PodSecurityResult {
  return compilePodSecurity(spec)(resource, options);
}

function parseMinor(version: string): number {
  if (version === '' || version === 'latest') return Number.POSITIVE_INFINITY;
  const minor = versionForm.exec(version)?.[1];
  if (minor === undefined) throw new PolicyError('policy-pod-security-version', 'must be "latest" or "v1.x"');
  return Number(minor);
}

function failedBy(id: string, check: CheckPod, pod: Pod): readonly FailedCheck[] {
  const violation = check(pod);
  if (!violation) return [];
  const { reason, detail, errors } = violation;
  const failed = { id, control: controlOf(id), forbiddenReason: reason, forbiddenDetail: detail };
  return [errors ? { ...failed, errors } : failed];
}

function withImages(check: FailedCheck, imageOf: (name: string) => string | undefined): FailedCheck {
  const images = imagesOf(check.forbiddenDetail, imageOf);
  return images ? { ...check, images } : check;
}
