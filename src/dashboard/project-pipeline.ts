import type { ImageDetected, ImageResourcePolicy, ResourceTemplate } from '../api/index.ts';
import type { JsonObject } from '../base/index.ts';
import type { DetectionFact, ScanPolicyFact, TemplateFact } from './facts.ts';
import { conditionOf, listOf, numberOf, objectOf, shortTextOf, textOf } from './fields.ts';

/** Facts of the pipeline from registries to Git. */

const phases = { Pending: 'pending', Processing: 'processing', Completed: 'completed', Failed: 'failed' } as const;
const maxFiles = 50;

export function detectionFact(detection: ImageDetected): DetectionFact {
  const { namespace = '', name = '' } = detection.metadata;
  const spec = objectOf(detection, 'spec');
  const status = objectOf(detection, 'status');
  const policy = objectOf(spec, 'sourcePolicy');
  const phase = textOf(status, 'phase') as keyof typeof phases;
  const files = status['files'];
  return {
    namespace,
    name,
    image: imageOf(spec),
    digest: textOf(spec, 'imageDigest'),
    policyNamespace: textOf(policy, 'namespace') || namespace,
    policyName: textOf(policy, 'name'),
    phase: Object.hasOwn(phases, phase) ? phases[phase] : 'pending',
    detectedAt: textOf(spec, 'detectedAt'),
    pushedAt: textOf(spec, 'pushedAt'),
    processedAt: textOf(status, 'processedAt'),
    commit: textOf(status, 'gitCommitSHA'),
    files: Array.isArray(files) ? files.filter((file) => typeof file === 'string').slice(0, maxFiles) : [],
    reason: conditionOf(status, 'Ready')?.reason ?? '',
    message: shortTextOf(status, 'message'),
    attempts: numberOf(status, 'attempts'),
  };
}

/** By tag: the digest is a fact of its own. */
function imageOf(spec: JsonObject): string {
  const full = textOf(spec, 'fullImageName');
  const at = full.indexOf('@');
  return at === -1 ? full : full.slice(0, at);
}

export function scanPolicyFact(policy: ImageResourcePolicy): ScanPolicyFact {
  const { namespace = '', name = '' } = policy.metadata;
  const spec = objectOf(policy, 'spec');
  const status = objectOf(policy, 'status');
  const template = objectOf(spec, 'templateRef');
  const ready = conditionOf(status, 'Ready');
  return {
    namespace,
    name,
    ready: ready === undefined ? undefined : ready.status === 'True',
    message: (ready?.message ?? '').slice(0, 500),
    isSuspended: spec['suspend'] === true,
    lastScanAt: textOf(status, 'lastScanTime'),
    repositories: numberOf(status, 'repositories'),
    images: numberOf(status, 'images'),
    detected: numberOf(status, 'detected'),
    templateNamespace: textOf(template, 'namespace') || namespace,
    templateName: textOf(template, 'name'),
  };
}

export function templateFact(template: ResourceTemplate): TemplateFact {
  const git = objectOf(objectOf(template, 'spec'), 'gitRepository');
  return { url: withoutUser(textOf(git, 'url')), branch: textOf(git, 'branch'), path: textOf(git, 'path') };
}

/** A URL may hold a password. */
function withoutUser(url: string): string {
  const scheme = url.indexOf('://');
  if (scheme === -1) return url;
  const rest = url.slice(scheme + 3);
  const slash = rest.indexOf('/');
  const host = slash === -1 ? rest : rest.slice(0, slash);
  return `${url.slice(0, scheme + 3)}${host.slice(host.lastIndexOf('@') + 1)}${slash === -1 ? '' : rest.slice(slash)}`;
}

export const exceptionRules = (spec: JsonObject): readonly string[] => [
  ...listOf(spec, 'exceptions')
    .slice(0, 20)
    .flatMap((one) => {
      const names = one['ruleNames'];
      const rules = Array.isArray(names) ? names.filter((name) => typeof name === 'string') : ['*'];
      return rules.slice(0, 20).map((rule) => `${textOf(one, 'policyName')}/${rule}`);
    }),
  // Of policies of expressions, which have no rules.
  ...listOf(spec, 'policyRefs')
    .slice(0, 20)
    .map((one) => `${textOf(one, 'kind')}/${textOf(one, 'name')}/*`),
];
