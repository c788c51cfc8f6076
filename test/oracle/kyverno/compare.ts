import { type Json, renderJson } from '../../../src/base/index.ts';
import type { CaseAnswer, PolicyCase, RuleAnswer } from './case.ts';

/** Where two engines disagree, in a form that shows the rule. */
export interface Difference {
  readonly case: string;
  readonly rule: string;
  readonly body: unknown;
  readonly theirs: unknown;
  readonly ours: unknown;
}

/** Everything that the two engines say differently of a case. */
export function differences(asked: PolicyCase, theirs: CaseAnswer, ours: CaseAnswer): readonly Difference[] {
  const refused = theirs.error ?? Object.values(theirs.invalid ?? {})[0];
  if (refused !== undefined || ours.error !== undefined) {
    if (refused !== undefined && ours.error !== undefined) return [];
    return [{ case: asked.name, rule: '', body: asked.policies, theirs: refused, ours: ours.error }];
  }
  const expected = byRule(theirs.results ?? []);
  const actual = byRule(ours.results ?? []);
  return [...new Set([...expected.keys(), ...actual.keys()])].flatMap((key) => {
    const [left, right] = [expected.get(key) ?? [], actual.get(key) ?? []];
    if (sorted(left) === sorted(right)) return [];
    return [{ case: asked.name, rule: key, body: bodyOf(asked, (left[0] ?? right[0])!), theirs: left, ours: right }];
  });
}

function byRule(results: readonly RuleAnswer[]): ReadonlyMap<string, readonly Compared[]> {
  const found = new Map<string, Compared[]>();
  for (const result of results) {
    const key = `${result.policy}/${result.rule} on ${result.resource}`;
    found.set(key, [...(found.get(key) ?? []), comparedOf(result)]);
  }
  return found;
}

type Compared = Omit<RuleAnswer, 'resource' | 'policy'>;

/** The words of errors are the engine's own, and what an error leaves is nothing; all else must be the same. */
function comparedOf({ rule, status, message, patched, target, generated }: RuleAnswer): Compared {
  if (status === 'error') return { rule, status, message: '' };
  return {
    rule,
    status,
    message: wordsOf(message),
    ...(target === undefined ? (patched === undefined ? {} : { patched }) : { target }),
    ...(generated?.length ? { generated: generated.map(withoutOrigin).sort(byText) } : {}),
  };
}

/** Theirs lists failed controls in the order of a Go map, and forgets a space before the exceptions. */
function wordsOf(message: string): string {
  const [start = '', ...reasons] = message.split('(Forbidden reason: ');
  return [start.replace(/(due to policy exceptions) ?/, '$1 '), ...reasons.sort()].join('(Forbidden reason: ');
}

const byText = (a: unknown, b: unknown) => (sorted(a) < sorted(b) ? -1 : 1);

/** The labels that tell where a generated object comes from are the writer's, who is not asked here. */
function withoutOrigin(object: Json): Json {
  const { metadata, ...rest } = object as { readonly metadata: { readonly labels?: Record<string, Json> } };
  const { labels = {}, ...others } = metadata;
  const own = Object.entries(labels).filter(
    ([key]) => !key.startsWith('generate.kyverno.io/') && key !== 'app.kubernetes.io/managed-by',
  );
  return { ...rest, metadata: { ...others, ...(own.length > 0 ? { labels: Object.fromEntries(own) } : {}) } };
}

const sorted = (value: unknown) => renderJson(inOrder(value));

function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, inOrder(inner)]),
  );
}

function bodyOf({ policies }: PolicyCase, { rule }: Pick<RuleAnswer, 'rule'>): unknown {
  const written = rule.replace(/^autogen-(cronjob-)?/, '');
  return policies
    .flatMap((policy) => (policy as { spec: { rules: { name: string }[] } }).spec.rules)
    .find(({ name }) => name === written);
}
