import { describe, expect, test } from 'vitest';
import { renderJson } from '../../src/base/index.ts';
import { compile } from '../../src/jmespath/index.ts';
import { askKyverno, locateKyverno } from '../support/kyverno.ts';
import type { CaseAnswer, PolicyCase } from './kyverno/case.ts';
import { anchorCases } from './kyverno/cases/anchors.ts';
import { autogenCases } from './kyverno/cases/autogen.ts';
import { conditionCases } from './kyverno/cases/conditions.ts';
import { exceptionCases } from './kyverno/cases/exceptions.ts';
import { expressionCases } from './kyverno/cases/expressions.ts';
import { generationCases } from './kyverno/cases/generation.ts';
import { loopCases } from './kyverno/cases/loops.ts';
import { matchingCases } from './kyverno/cases/matching.ts';
import { mutationCases } from './kyverno/cases/mutations.ts';
import { patternCases } from './kyverno/cases/patterns.ts';
import { podSecurityCases } from './kyverno/cases/pod-security.ts';
import { surroundingCases } from './kyverno/cases/surroundings.ts';
import { variableCases } from './kyverno/cases/variables.ts';
import { differences } from './kyverno/compare.ts';
import { isKnown, isKnownExpression } from './kyverno/known.ts';
import { evaluateCase } from './kyverno/ours.ts';

// Minutes of work: only where somebody asks for it.
const isWanted = Boolean(process.env['SUPERCARGO_KYVERNO']);
const located = isWanted
  ? await locateKyverno()
  : { reason: 'SUPERCARGO_KYVERNO=use runs it, SUPERCARGO_KYVERNO=build builds it first' };
const oracle = located.kyverno?.oracle;
if (oracle === undefined && 'reason' in located)
  process.stderr.write(`comparison with Kyverno skipped: ${located.reason}\n`);

const areas: Readonly<Record<string, readonly PolicyCase[]>> = {
  patterns: patternCases,
  anchors: anchorCases,
  conditions: conditionCases,
  variables: variableCases,
  loops: loopCases,
  mutations: mutationCases,
  matching: matchingCases,
  generation: generationCases,
  'pod security': podSecurityCases,
  autogen: autogenCases,
  exceptions: exceptionCases,
  surroundings: surroundingCases,
};
const timeoutMs = 900_000;

describe.skipIf(oracle === undefined)("against Kyverno's own engine", () => {
  test.each(Object.entries(areas))(
    'policies of the area %s say the same',
    async (_, cases) => {
      const theirs = await askKyverno<PolicyCase, CaseAnswer>(oracle!, cases);
      const found = cases.flatMap((asked, i) => differences(asked, theirs[i]!, evaluateCase(asked, Date.now())));
      expect(theirs.flatMap(({ results = [] }) => results).length).toBeGreaterThan(50);
      expect(found.filter((difference) => !isKnown(difference))).toEqual([]);
    },
    timeoutMs,
  );

  test(
    'expressions give the same',
    async () => {
      const theirs = await askKyverno<unknown, { readonly value?: unknown; readonly error?: string }>(
        oracle!,
        expressionCases,
      );
      const found = expressionCases.flatMap(({ query, input }, i) => {
        const ours = resultOf(query, input);
        const their = theirs[i]!.error === undefined ? renderJson(inOrder(theirs[i]!.value ?? null)) : 'error';
        return ours === their || isKnownExpression(query, theirs[i]!.error) ? [] : [{ query, their, ours }];
      });
      expect(found).toEqual([]);
    },
    timeoutMs,
  );
});

function resultOf(query: string, input: unknown): string {
  const environment = { clock: { now: () => Date.now() }, random: Math.random, resolveHost: () => ['203.0.113.9'] };
  try {
    return renderJson(inOrder(compile(query, { checkCalls: 'evaluate' }).evaluate(input, environment) ?? null));
  } catch {
    return 'error';
  }
}

function inOrder(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, inOrder(inner)]),
  );
}
