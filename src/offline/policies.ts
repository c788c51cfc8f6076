import { UsageError } from '../base/index.ts';
import {
  type Files,
  isTyped,
  manifestFiles,
  placeOf,
  readDocuments,
  readObjects,
  unroll,
  type Written,
} from '../manifests/index.ts';
import type { KubeObject } from '../object/index.ts';
import {
  compileException,
  compilePolicy,
  type ExceptionProgram,
  isKindPolicy,
  type PolicyIssue,
  type PolicyProgram,
} from '../policy/index.ts';

/** A policy that cannot run, with the reason. */
export interface Rejected {
  readonly kind: string;
  readonly name: string;
  /** Where it is written: `policy.yaml:3`. */
  readonly place: string;
  readonly reason: string;
  readonly issues: readonly PolicyIssue[];
}

export interface LoadedPolicies {
  readonly programs: readonly PolicyProgram[];
  /** Features that this program does not support yet. */
  readonly unsupported: readonly Rejected[];
  /** Invalid policies. */
  readonly invalid: readonly Rejected[];
  /** Exceptions found among the policies. */
  readonly exceptions: readonly ExceptionProgram[];
  /** Warnings about policies that run all the same. */
  readonly warnings: readonly string[];
  /** Documents that are neither policies nor exceptions. */
  readonly strangers: readonly string[];
}

/** The policies of files and folders as written. */
interface PolicySource {
  readonly objects: readonly Written<KubeObject>[];
  /** Documents of folders that were skipped because they are not policies: folders hold other files too. */
  readonly ignored: number;
}

export function readPolicies(files: Files, paths: readonly string[]): PolicySource {
  const objects: Written<KubeObject>[] = [];
  let ignored = 0;
  for (const path of paths) {
    if (!files.isDirectory(path)) {
      objects.push(...readObjects(files, path));
      continue;
    }
    for (const file of manifestFiles(files, path)) {
      for (const document of readDocuments(files, file)) {
        const found: Written<KubeObject>[] = [];
        if (isTyped(document.value)) unroll(document, found);
        const policies = found.filter(({ value }) => isPolicy(value));
        objects.push(...policies);
        ignored += Math.max(found.length, 1) - policies.length;
      }
    }
  }
  if (objects.length === 0) throw new UsageError('offline-no-policies', `there is no policy in ${paths.join(', ')}`);
  return { objects, ignored };
}

/** Compiles policies. Everything that cannot run is returned with its reason. */
export function compilePolicies(objects: readonly Written<KubeObject>[]): LoadedPolicies {
  const programs: PolicyProgram[] = [];
  const unsupported: Rejected[] = [];
  const invalid: Rejected[] = [];
  const exceptions: ExceptionProgram[] = [];
  const warnings: string[] = [];
  const strangers: string[] = [];
  const bindings = objects.map(({ value }) => value).filter(isBinding);
  for (const written of objects) {
    if (isBinding(written.value)) continue;
    const { apiVersion, kind, metadata } = written.value;
    const rejected = (reason: string, issues: readonly PolicyIssue[] = []): Rejected => ({
      kind,
      name: metadata.name ?? '',
      place: placeOf(written),
      reason,
      issues,
    });
    if (isException(written.value)) {
      const exception = loadException(written);
      if ('reason' in exception) unsupported.push(rejected(exception.reason));
      else exceptions.push(exception);
    } else if (isClassic(written.value) || isKindPolicy(written.value)) {
      const { program, issues } = compilePolicy(written.value, bindings);
      for (const issue of issues)
        if (issue.severity === 'warning')
          warnings.push(`${placeOf(written)}: ${kind} ${metadata.name}: ${renderIssue(issue)}`);
      const errors = issues.filter(({ severity }) => severity === 'error');
      const wrong = errors.filter(({ code }) => code !== 'policy-unsupported');
      if (program) programs.push(program);
      else if (wrong.length === 0) unsupported.push(rejected(errors.map(renderIssue).join('; '), errors));
      else invalid.push(rejected(wrong.map(renderIssue).join('; '), wrong));
    } else if (isOtherPolicy(written.value)) {
      unsupported.push(rejected(`policies of kind ${kind} (${apiVersion}) are not supported yet`));
    } else strangers.push(`${placeOf(written)}: ${kind} (${apiVersion}) is not a policy`);
  }
  return { programs, unsupported, invalid, exceptions, warnings, strangers };
}

const renderIssue = ({ path, message }: PolicyIssue) => (path === '' ? message : `${path}: ${message}`);

const isClassic = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith('kyverno.io/') && (kind === 'ClusterPolicy' || kind === 'Policy');

const isException = ({ apiVersion, kind }: KubeObject) =>
  kind === 'PolicyException' && (apiVersion.startsWith('kyverno.io/') || apiVersion.startsWith('policies.kyverno.io/'));

const isBinding = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith('admissionregistration.k8s.io/') && /^(Validating|Mutating)AdmissionPolicyBinding$/.test(kind);

const isOtherPolicy = ({ apiVersion, kind }: KubeObject) =>
  apiVersion.startsWith('policies.kyverno.io/') ||
  apiVersion.startsWith('kyverno.io/') ||
  (apiVersion.startsWith('admissionregistration.k8s.io/') && /^(Validating|Mutating)AdmissionPolicy/.test(kind));

const isPolicy = (object: KubeObject) => isClassic(object) || isException(object) || isOtherPolicy(object);

function loadException(written: Written<KubeObject>): ExceptionProgram | { readonly reason: string } {
  const { value } = written;
  const { program, issues } = compileException(value);
  if (program) return program;
  if (issues.every(({ code }) => code === 'policy-unsupported')) return { reason: issues.map(renderIssue).join('; ') };
  throw new UsageError(
    'offline-invalid-exception',
    `${placeOf(written)}: PolicyException ${value.metadata.name}: ${issues.map(renderIssue).join('; ')}`,
  );
}

/** PolicyExceptions of files and folders; other kinds are an error. */
export function readExceptions(files: Files, paths: readonly string[]): readonly Written<KubeObject>[] {
  const found = paths.flatMap((path) => [...manifestFiles(files, path)].flatMap((file) => readObjects(files, file)));
  const stranger = found.find(({ value }) => !isException(value));
  if (stranger)
    throw new UsageError(
      'offline-not-an-exception',
      `${placeOf(stranger)}: ${stranger.value.kind} is not a PolicyException`,
    );
  return found;
}

/** `unsupported`: exceptions of kinds that do not run yet. */
export function compileExceptions(objects: readonly Written<KubeObject>[]): {
  readonly exceptions: readonly ExceptionProgram[];
  readonly unsupported: readonly Rejected[];
} {
  const { exceptions, unsupported } = compilePolicies(objects);
  return { exceptions, unsupported };
}
