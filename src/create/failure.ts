import { backoffMs, errorCode, errorMessage } from '../base/index.ts';
import { type GitErrorCode, gitErrors } from '../git/index.ts';
import { type CreateErrorCode, createErrors, type RetryPace } from './errors.ts';

/** Reason and message of the condition, and when to retry. */
export interface DetectionFailure {
  readonly reason: string;
  readonly message: string;
  readonly pace: RetryPace;
}

/**
 * Problems that a person has to fix elsewhere: credentials, keys, branch permissions. No event reports the fix, so the
 * retry is slow.
 */
const slowGitErrors: ReadonlySet<string> = new Set<GitErrorCode>([
  'git-missing',
  'git-path-refused',
  'git-address-refused',
  'git-auth-failed',
  'git-host-key-unknown',
  'git-host-key-changed',
  'git-key-unusable',
  'git-repository-too-large',
  'git-certificate-unknown',
  'git-repository-not-found',
  'git-branch-protected',
  'git-output-too-large',
]);

const reasons: Readonly<Record<CreateErrorCode | GitErrorCode, string>> = {
  'create-policy-missing': 'PolicyNotFound',
  'create-template-missing': 'TemplateNotFound',
  'create-access-denied': 'AccessDenied',
  'create-image-invalid': 'InvalidImage',
  'create-not-detected': 'NotDetectedByUs',
  'create-template-invalid': 'InvalidTemplate',
  'create-path-refused': 'PathRefused',
  'create-path-clash': 'PathClash',
  'create-manifest-invalid': 'InvalidManifest',
  'create-kind-refused': 'KindNotAllowed',
  'create-dry-run': 'DryRunFailed',
  'create-secret': 'SecretUnavailable',
  'git-missing': 'GitMissing',
  'git-settings-invalid': 'InvalidGitSettings',
  'git-path-refused': 'PathRefused',
  'git-address-refused': 'GitAddressRefused',
  'git-auth-failed': 'GitAuthFailed',
  'git-host-key-unknown': 'GitHostKeyUnknown',
  'git-host-key-changed': 'GitHostKeyChanged',
  'git-key-unusable': 'GitKeyUnusable',
  'git-repository-too-large': 'GitRepositoryTooLarge',
  'git-certificate-unknown': 'GitCertificateUnknown',
  'git-repository-not-found': 'GitRepositoryNotFound',
  'git-branch-protected': 'GitBranchProtected',
  'git-branch-moved': 'GitBranchMoved',
  'git-network': 'GitUnreachable',
  'git-timeout': 'GitTimeout',
  'git-output-too-large': 'GitFailed',
  'git-failed': 'GitFailed',
};

/** Undefined for errors that are not about the detection: lost connection to the cluster, shutdown. */
export function failureOf(thrown: unknown): DetectionFailure | undefined {
  const code = errorCode(thrown) ?? '';
  if (!Object.hasOwn(reasons, code)) return undefined;
  return { reason: reasons[code as keyof typeof reasons], message: errorMessage(thrown), pace: paceOf(code) };
}

function paceOf(code: string): RetryPace {
  if (Object.hasOwn(createErrors, code)) return createErrors[code as CreateErrorCode];
  if (slowGitErrors.has(code)) return 'slow';
  return gitErrors[code as GitErrorCode] === 'never' ? 'change' : 'quick';
}

const pauses = {
  slow: { baseMs: 30_000, maxMs: 30 * 60_000 },
  quick: { baseMs: 1_000, maxMs: 5 * 60_000 },
};

/** The delay after this many attempts; undefined if only a change helps. */
export function pauseMs(pace: RetryPace, attempts: number, random: () => number): number | undefined {
  return pace === 'change' ? undefined : backoffMs(Math.max(0, attempts - 1), { ...pauses[pace], random });
}
