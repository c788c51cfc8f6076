import { isJsonObject, parseYaml } from '../../base/index.ts';
import { hasContent } from '../autogen/index.ts';
import type { RuleSpec } from '../types.ts';
import { variablePaths } from '../variables/index.ts';
import { isSet, type RuleCheck } from './rule-context.ts';

const onlyMetadata = 'policy can only deal with the metadata field of the resource if the rule does not match any kind';

/** A rule for every kind may use only fields that every kind has, and cannot run as a background scan. */
export function checkWildcardRule(check: RuleCheck, kinds: readonly string[], path: string): void {
  const { rule, issues, policy } = check;
  if (policy.background) {
    issues.error(
      'policy-background',
      path,
      'wildcard policy not allowed in background mode. Set spec.background=false to disable background mode',
    );
  }
  if (kinds.length > 1) {
    issues.error('policy-match-kind', path, 'wildcard policy can not deal with more than one kind');
  }
  if (hasContent(rule.generate, ['clone', 'cloneList']) || rule.verifyImages?.length || isSet(rule.validate?.foreach)) {
    issues.error('policy-match-kind', path, 'wildcard policy does not support rule type');
  }
  if (!dealsWithMetadataOnly(rule)) issues.error('policy-match-kind', path, onlyMetadata);
}

function dealsWithMetadataOnly({ validate, mutate }: RuleSpec): boolean {
  const documents = [validate?.pattern, ...asList(validate?.anyPattern), mutate?.patchStrategicMerge];
  const isMetadata = (document: unknown) =>
    !isJsonObject(document) || Object.keys(document).every((key) => key === 'metadata');
  return (
    documents.every(isMetadata) &&
    patchPaths(mutate?.patchesJson6902).every((path) => path.startsWith('/metadata')) &&
    asList(validate?.deny?.conditions).every(isAboutMetadata)
  );
}

/** Only conditions in the old form, a plain list, are looked at. */
function isAboutMetadata(condition: unknown): boolean {
  const key = isJsonObject(condition) ? condition['key'] : undefined;
  if (typeof key !== 'string') return true;
  const paths = variablePaths(key);
  const leadsTo = (...wanted: string[]) => paths.some((path) => wanted.every((name, i) => path[i] === name));
  if (leadsTo('request', 'object', 'metadata')) return true;
  const isOfRequest = paths.some(([root, field]) => root === 'request' && field !== undefined);
  const isOfAccount = leadsTo('serviceAccountName') || leadsTo('serviceAccountNamespace');
  return (isOfRequest || isOfAccount) && !leadsTo('request', 'object', 'spec');
}

function patchPaths(patch: string | undefined): string[] {
  if (!patch) return [];
  try {
    return asList(parseYaml(patch)).flatMap((operation) => {
      const path = isJsonObject(operation) ? operation['path'] : undefined;
      return typeof path === 'string' ? [path] : [];
    });
  } catch {
    // A patch that cannot be parsed is reported by the check of patches.
    return [];
  }
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
