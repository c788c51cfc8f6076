import { childrenOf, matchesWildcard, type Node, type ReadPath, readPaths } from '../../jmespath/index.ts';
import type { ContextEntry, RuleSpec } from '../types.ts';
import { findVariables } from '../variables/index.ts';
import { checkPlainExpression } from './expressions.ts';
import { cut, type Issues } from './issues.ts';
import { isSet, type RuleCheck } from './rule-context.ts';
import { type FoundText, textsOf } from './strings.ts';

/**
 * Whether the engine provides what an expression reads. One part of it that is provided is enough, and so is a function
 * or `@`: upstream asks for no more. In the background there is no user; only targets know `target`.
 */
type IsProvided = (ast: Node) => boolean;

function providedBy(background: boolean, hasTargets: boolean): IsProvided {
  const isOpen = !background && !hasTargets;
  const isPathProvided = ([root = '', field]: ReadPath): boolean => {
    if (root === 'images' || root.startsWith('element')) return true;
    if (root === 'request' || root === 'image') return isOpen || field !== undefined;
    if (root === 'serviceAccountName' || root === 'serviceAccountNamespace') return !background;
    return root === 'target' && hasTargets && field !== undefined;
  };
  return (ast) => hasCallOrCurrent(ast) || readPaths(ast).some(isPathProvided);
}

function hasCallOrCurrent(node: Node): boolean {
  return node.kind === 'call' || node.kind === 'current' || childrenOf(node).some(hasCallOrCurrent);
}

/** Levels of variables inside variables. */
const maxVariableNesting = 16;

/** Names a part of a rule may use. */
interface Names {
  readonly isProvided: IsProvided;
  readonly defined: readonly string[];
  readonly seen: Set<string>;
}

/** Every variable of the rule is one the engine provides or the context defines, and can be compiled. */
export function checkVariables({ rule, path, issues, policy }: RuleCheck): void {
  const hasTargets = isSet(rule.mutate?.targets);
  const names: Names = {
    isProvided: providedBy(policy.background, hasTargets),
    defined: definedBy(rule),
    seen: new Set(),
  };
  // Before a target is loaded there is neither the target nor its context.
  const beforeTargets: Names = !hasTargets
    ? names
    : {
        isProvided: providedBy(policy.background, false),
        defined: (rule.context ?? []).flatMap(definedByEntry),
        seen: new Set(),
      };
  for (const found of textsOf(withoutAttestationConditions(rule), path)) {
    if (!found.text.includes('{{')) continue;
    const inTargets = found.path.startsWith(`${path}.mutate.`) && !targetIdentity.test(found.path.slice(path.length));
    for (const query of queriesOf(found, issues)) {
      checkElement(query, found, path, issues);
      if (isKnown(query, found, inTargets ? names : beforeTargets, issues)) continue;
      issues.error(
        'policy-variable-unknown',
        found.path,
        `variable {{ ${cut(query)} }} is neither provided nor defined in the context${hint(query, policy.background)}`,
      );
    }
  }
}

const targetIdentity = /^\.mutate\.targets\[\d+\]\.(apiVersion|kind|namespace|name|uid)$/;

/** True also for what has been reported already, here or as an expression that cannot be compiled. */
function isKnown(query: string, { path }: FoundText, { isProvided, defined, seen }: Names, issues: Issues): boolean {
  if (query === '@' || seen.has(query)) return true;
  seen.add(query);
  const ast = checkPlainExpression(query, path, issues);
  if (ast === undefined || isProvided(ast)) return true;
  const name = query.replaceAll('"', '');
  return defined.some((pattern) => matchesWildcard(pattern, name));
}

function hint(name: string, background: boolean): string {
  return background && name.startsWith('serviceAccount') ? ': set spec.background to false' : '';
}

/**
 * The queries of a text as an evaluation would meet them: innermost first, each resolved to null before the variable
 * around it is looked at.
 */
function* queriesOf({ text, path }: FoundText, issues: Issues): Generator<string> {
  let rest = text;
  for (let level = 0; level < maxVariableNesting; level++) {
    const found = findVariables(rest);
    if (found.length === 0) return;
    for (const { expression } of found) yield expression;
    const [first] = found;
    if (first === undefined || (first.start === 0 && first.end === rest.length) || found.at(-1)?.isShallow) return;
    let next = '';
    let copied = 0;
    for (const { start, end } of found) {
      next += `${rest.slice(copied, start)}null`;
      copied = end;
    }
    rest = next + rest.slice(copied);
  }
  issues.error('policy-limit', path, `variables are nested more than ${maxVariableNesting} levels deep`);
}

/** `element` exists only inside a loop. */
function checkElement(query: string, { path }: FoundText, rulePath: string, issues: Issues): void {
  const inLoop = /\.foreach\[\d+\]/.test(path.slice(rulePath.length));
  if (inLoop || !query.startsWith('element')) return;
  issues.error('policy-variable-forbidden', path, `variable '${cut(query)}' present outside of foreach`);
}

/** Patterns for the names that contexts define anywhere in the rule. */
function definedBy(rule: RuleSpec): readonly string[] {
  const loops = (entries: readonly Loop[] | undefined): readonly ContextEntry[] =>
    (entries ?? []).flatMap((entry) => [...(entry.context ?? []), ...loops(entry.foreach)]);
  const entries = [
    ...(rule.context ?? []),
    ...loops(rule.validate?.foreach),
    ...loops(rule.mutate?.foreach),
    ...loops(rule.mutate?.targets as readonly Loop[] | undefined),
    ...loops(rule.generate?.foreach as readonly Loop[] | undefined),
  ];
  const attested = (rule.verifyImages ?? []).flatMap((image) =>
    ((image['attestations'] ?? []) as readonly { name?: string }[]).flatMap(({ name }) => (name ? [`${name}*`] : [])),
  );
  return [...attested, ...entries.flatMap(definedByEntry)];
}

function definedByEntry({ name, configMap }: ContextEntry): readonly string[] {
  if (!isSet(configMap)) return [`${name}*`];
  return [`${name}.data`, `${name}.metadata`, `${name}.data.*`, `${name}.metadata.*`];
}

interface Loop {
  readonly context?: readonly ContextEntry[];
  readonly foreach?: readonly Loop[];
}

/** They are resolved against the attested statement, whose fields are not known here. */
function withoutAttestationConditions(rule: RuleSpec): RuleSpec {
  if (!rule.verifyImages) return rule;
  const verifyImages = rule.verifyImages.map((image) => {
    const attestations = (image['attestations'] ?? []) as readonly Record<string, unknown>[];
    return { ...image, attestations: attestations.map(({ conditions: _, ...rest }) => rest) };
  });
  return { ...rule, verifyImages };
}
