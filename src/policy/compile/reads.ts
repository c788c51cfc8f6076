import { isJsonObject } from '../../base/index.ts';
import { assertionPaths } from '../assert/index.ts';
import { partsOfExpression } from '../cel/index.ts';
import { filtersOf } from '../match/index.ts';
import { parseAnchor } from '../pattern/index.ts';
import { partsOfAssertion, partsOfScope, type ReadPart, type RuleReads, readsOf } from '../reads.ts';
import type { ContextEntry, MatchBlock, PolicySpec, RuleSpec } from '../types.ts';
import { expressionPaths, hasVariables, variablePaths } from '../variables/index.ts';

/** What a rule reads, after autogen. */
export function compileReads(policy: PolicySpec, rule: RuleSpec): RuleReads {
  const { context, preconditions, validate, mutate, generate, verifyImages, reportProperties } = rule;
  const { assert, ...checks } = validate ?? {};
  const documents = [context, preconditions, checks, mutate, generate, verifyImages, reportProperties];
  const overrides = validate?.failureActionOverrides ?? policy.validationFailureActionOverrides ?? [];
  return readsOf([
    ...partsOfFilters(rule.match),
    ...partsOfFilters(rule.exclude),
    ...(overrides.some(({ namespaceSelector }) => namespaceSelector) ? namespaceLabels : []),
    ...variablePaths(documents).flatMap(partsOfScope),
    ...partsOfBlocks([{ context }, validate ?? {}, mutate ?? {}, generate ?? {}]),
    ...partsOfExtractors(rule),
    ...expressionsOf(rule).flatMap(partsOfExpression),
    ...(assert === undefined || assert === null ? [] : assertionPaths(assert).flatMap(partsOfAssertion)),
  ]);
}

/** The CEL expressions of a rule. */
function expressionsOf({ validate, celPreconditions = [] }: RuleSpec): readonly string[] {
  const { variables = [], expressions = [], auditAnnotations = [] } = validate?.cel ?? {};
  return [
    ...[...celPreconditions, ...variables].map(({ expression }) => expression),
    ...expressions.flatMap(({ expression, messageExpression = '' }) => [expression, messageExpression]),
    ...auditAnnotations.map(({ valueExpression }) => valueExpression),
  ];
}

/** What an exception reads: its match, its conditions. */
export function compileExceptionReads(match: MatchBlock, conditions: unknown): RuleReads {
  return readsOf([...partsOfFilters(match), ...variablePaths(conditions).flatMap(partsOfScope)]);
}

const namespaceLabels: readonly ReadPart[] = ['namespaceLabels'];

function partsOfFilters(block: MatchBlock | undefined): readonly ReadPart[] {
  return filtersOf(block).flatMap(({ roles, clusterRoles, subjects, resources }): ReadPart[] => [
    ...(roles?.length || clusterRoles?.length ? (['user', 'namedUser', 'roles'] as const) : []),
    ...(subjects?.length ? (['user', 'namedUser'] as const) : []),
    ...(resources?.operations?.length ? (['operation'] as const) : []),
    ...(resources?.namespaceSelector ? namespaceLabels : []),
  ]);
}

/** The fields of validate, mutate, generate, their loops and targets that affect what is read. */
interface Block {
  readonly list?: string | undefined;
  readonly context?: readonly ContextEntry[] | undefined;
  readonly foreach?: readonly Block[] | undefined;
  readonly targets?: readonly Block[] | undefined;
  readonly clone?: unknown;
  readonly cloneList?: unknown;
  readonly pattern?: unknown;
  readonly anyPattern?: unknown;
  readonly patchStrategicMerge?: unknown;
  readonly patchesJson6902?: unknown;
}

function partsOfBlocks(blocks: readonly Block[]): readonly ReadPart[] {
  return blocks.flatMap((block): readonly ReadPart[] => {
    const { list, context, foreach, targets, clone, cloneList, anyPattern, pattern, patchStrategicMerge } = block;
    const patterns = [pattern, patchStrategicMerge, ...(Array.isArray(anyPattern) ? anyPattern : [])];
    return [
      ...(list ? expressionPaths(list).flatMap(partsOfScope) : []),
      ...(context ?? []).flatMap(partsOfEntry),
      ...(targets || clone || cloneList ? (['lookUps'] as const) : []),
      // The pointers of a patch may refer to any field, and operations may read (test, copy, move).
      ...(patterns.some(namesStatus) || block.patchesJson6902 ? (['status'] as const) : []),
      ...partsOfBlocks(foreach ?? []),
      ...partsOfBlocks(targets ?? []),
    ];
  });
}

function partsOfEntry({ variable, configMap, apiCall, imageRegistry, globalReference }: ContextEntry): ReadPart[] {
  const isLookUp = Boolean(configMap ?? apiCall ?? imageRegistry ?? globalReference);
  const { value, jmesPath } = variable ?? {};
  // With a value, the path is evaluated on the value, not on the scope.
  const isOfScope = jmesPath && (value === undefined || value === null);
  return [
    ...(isLookUp ? (['lookUps'] as const) : []),
    ...(isOfScope ? expressionPaths(jmesPath) : []).flatMap(partsOfScope),
  ];
}

function namesStatus(pattern: unknown): boolean {
  if (typeof pattern === 'string') return hasVariables(pattern);
  if (!isJsonObject(pattern)) return false;
  return Object.keys(pattern).some((key) => (parseAnchor(key)?.key ?? key) === 'status' || hasVariables(key));
}

/** Image extractors read the object by paths. */
function partsOfExtractors({ imageExtractors }: RuleSpec): readonly ReadPart[] {
  const paths = Object.values(imageExtractors ?? {}).flatMap((extractors) => extractors.map(({ path }) => path));
  const heads = paths.map((path) =>
    path
      .split('/')
      .find((part) => part.trim() !== '')
      ?.trim(),
  );
  return heads.some((head) => head === 'status' || head === '*') ? ['status'] : [];
}
