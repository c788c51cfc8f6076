import { hasContent } from '../autogen/index.ts';
import { parseKindSelector } from '../match/index.ts';
import type { GenerateSpec, GenerateTargetSpec } from '../types.ts';
import { hasVariables } from '../variables/index.ts';
import { checkConditions } from './conditions.ts';
import { checkContext } from './context.ts';
import { checkExpression } from './expressions.ts';
import { checkNoAnchors } from './pattern.ts';
import { isSet, type RuleCheck } from './rule-context.ts';
import { textsOf } from './strings.ts';

/** A generate block: one source, a complete target, scopes that fit. */
export function checkGenerate(check: RuleCheck, generate: GenerateSpec): void {
  const { rule, issues } = check;
  const path = `${check.path}.generate`;
  const used = [
    isSet(generate.data),
    hasContent(generate.clone),
    isSet(generate.cloneList?.kinds),
    isSet(generate.foreach),
  ];
  if (used.filter(Boolean).length > 1) {
    issues.error(
      'policy-field-conflict',
      path,
      'only one of generate patterns(data, clone, cloneList and foreach) can be specified',
    );
    return;
  }
  if (isSet(generate.foreach)) checkLoops(check, generate.foreach, `${path}.foreach`);
  else checkTarget(check, generate, path);
  if (generate.kind && rule.match?.resources?.kinds?.includes(generate.kind)) {
    issues.error('policy-generate', `${path}.kind`, 'generation kind and match resource kind should not be the same');
  }
}

function checkLoops(check: RuleCheck, loops: NonNullable<GenerateSpec['foreach']>, path: string): void {
  for (const [i, loop] of loops.entries()) {
    const place = `${path}[${i}]`;
    if (!loop.list) check.issues.error('policy-field-required', `${place}.list`, 'foreach.list is required');
    checkExpression(loop.list, `${place}.list`, check.issues);
    checkContext(check, loop.context, `${place}.context`);
    checkConditions(loop.preconditions, `${place}.preconditions`, check.issues, true);
    checkTarget(check, loop, place);
  }
}

function checkTarget(check: RuleCheck, target: GenerateTargetSpec, path: string): void {
  const { issues } = check;
  checkNoAnchors(target.data, `${path}.data`, issues);
  checkScope(check, target, path);
  if ((target.cloneList?.kinds ?? []).length > 0) {
    checkCloneList(check, target, path);
    return;
  }
  for (const field of ['kind', 'name', 'apiVersion'] as const) {
    if (!target[field]) issues.error('policy-generate', `${path}.${field}`, `${field} can not be empty`);
  }
  const source = { kind: target.kind, apiVersion: target.apiVersion, clone: target.clone, cloneList: target.cloneList };
  if ([...textsOf(source, path)].some(({ text }) => hasVariables(text))) {
    issues.warn('policy-generate', path, 'variables in what is cloned lead to incorrect synchronization behavior');
  }
}

function checkScope({ issues, policy }: RuleCheck, target: GenerateTargetSpec, path: string): void {
  const { apiVersion = '', kind = '', namespace = '', clone } = target;
  const isCluster = kind === '' || hasVariables(kind) ? undefined : policy.scopeOf(apiVersion, kind);
  const wrong = (message: string, field = 'namespace') => issues.error('policy-scope', `${path}.${field}`, message);
  if (policy.isNamespaced) {
    const mismatch = 'target resource scope mismatched:';
    if (isCluster === true) {
      wrong(`${mismatch} the target must be a namespaced resource`);
      return;
    }
    const isForeign = `expected: ${policy.namespace}, received:`;
    if (namespace !== policy.namespace) {
      wrong(`${mismatch} a namespaced policy cannot generate resources in other namespaces, ${isForeign} ${namespace}`);
      return;
    }
    if (clone?.name && clone.namespace !== policy.namespace) {
      const from = `${isForeign} ${clone.namespace ?? ''}`;
      wrong(`${mismatch} a namespaced policy cannot clone resources from other namespaces, ${from}`, 'clone.namespace');
      return;
    }
  }
  if (isCluster === false && namespace === '') wrong('target namespace must be set for a namespaced resource');
  if (isCluster === true && namespace !== '') wrong('target namespace must not be set for a cluster-wide resource');
}

function checkCloneList({ issues, policy }: RuleCheck, { cloneList }: GenerateTargetSpec, path: string): void {
  const place = `${path}.cloneList`;
  const scopes = (cloneList?.kinds ?? []).map((kind) => {
    const selector = parseKindSelector(kind);
    if (selector === undefined) return undefined;
    const group = selector.group === '*' ? '' : `${selector.group}/`;
    return policy.scopeOf(selector.version === '*' ? '' : `${group}${selector.version}`, selector.kind);
  });
  if (policy.isNamespaced) {
    if (scopes.includes(true)) {
      issues.error('policy-scope', `${place}.kinds`, 'the source in cloneList must be a namespaced resource');
    }
    if (cloneList?.namespace !== policy.namespace) {
      issues.error(
        'policy-scope',
        `${place}.namespace`,
        'a namespaced policy cannot clone resources from other namespace',
      );
    }
  }
  if (scopes.includes(true) && scopes.includes(false)) {
    issues.error('policy-scope', `${place}.kinds`, 'mixed scope of target resources is forbidden');
  } else if (scopes.includes(false) && !cloneList?.namespace) {
    issues.error('policy-scope', `${place}.namespace`, 'namespace is required for namespaced target resources');
  } else if (scopes.includes(true) && cloneList?.namespace && !policy.isNamespaced) {
    issues.error('policy-scope', `${place}.namespace`, 'namespace is forbidden for cluster-wide target resources');
  }
  const selector = [...textsOf(cloneList?.selector ?? {}, '')].some(({ text }) => /[*?]/.test(text));
  if (selector) issues.error('policy-generate', `${place}.selector`, 'wildcard characters `*/?` not supported');
}
