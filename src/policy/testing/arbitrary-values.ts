import fc from 'fast-check';

/** Fixed, so that a failure in CI repeats; `SEED` and `RUNS` make longer and other runs. */
export function fuzzRuns(numRuns: number): fc.Parameters<unknown> {
  const times = Number(process.env['RUNS'] ?? 1);
  return { seed: Number(process.env['SEED'] ?? 20_260_301), numRuns: Math.ceil(numRuns * times), endOnFailure: true };
}

const words = fc.constantFrom(
  '',
  'a',
  'b',
  'web',
  'nginx:latest',
  'ghcr.io/acme/app@sha256:short',
  '10',
  '-1',
  '1.5',
  '500m',
  '1Gi',
  '1h30m',
  'true',
  'null',
  'é😀',
  '\ud800',
  '__proto__',
  'constructor',
  '../..',
);
/** Patterns of texts: operators, ranges, wildcards, and what only looks like them. */
const operators = fc.constantFrom(
  '*',
  '?*',
  '!a',
  '>5',
  '<=1Gi',
  '>=1h',
  '1-10',
  '1!-10',
  'a | b',
  '!a & !b',
  '|',
  '!',
  '**?*',
);
/** Variables that every rule of the generated policies can use; some find nothing, some are of the wrong type. */
const variables = fc.constantFrom(
  '{{ request.object.metadata.name }}',
  '{{ request.object.spec.containers[].image }}',
  '{{ request.object.spec.a }}',
  '{{ request.object.missing.deeper }}',
  "{{ request.object.spec.a || 'x' }}",
  '{{ request.operation }}',
  '{{ request.oldObject.metadata.labels }}',
  '{{ images.containers.*.tag }}',
  "{{ random('[a-z]{6}') }}",
  '{{ one }}',
  '{{ settings.data.a }}',
  '{{ called.items }}',
  '{{ one.{{ request.object.metadata.name }} }}',
  '{{ @ }}',
  '{{ length(request.object.spec) }}',
  "{{ to_upper('a') }}-{{ time_now_utc() }}",
  '{{ to_upper(request.object) }}',
  '\\{{ plain }}',
);
const loopVariables = fc.oneof(
  variables,
  fc.constantFrom('{{ element }}', '{{ element.name }}', '{{ elementIndex }}', '{{ element.{{ elementIndex }} }}'),
);

/** References lead somewhere only by chance, and policies with one that does not are refused: corruption brings them. */
const textsWith = (variable: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 4, arbitrary: words },
    { weight: 2, arbitrary: operators },
    { weight: 3, arbitrary: variable },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }).filter((text) => !text.includes('$(')) },
  );

export const texts = textsWith(variables);
const loopTexts = textsWith(loopVariables);
export const plainTexts = words;

const plainKeys = fc.constantFrom('a', 'b', 'name', 'image', 'labels', 'containers', 'spec', 'metadata', 'constructor');
/** Keys of patterns: anchors that need no list, wildcards. */
const anchored = (modifiers: readonly string[]) =>
  fc.oneof(
    plainKeys,
    fc.tuple(fc.constantFrom(...modifiers), plainKeys).map(([modifier, key]) => `${modifier}(${key})`),
    fc.constantFrom('*', 'app-?', '{{ one }}'),
  );
const patternKeys = anchored(['', '=', 'X', '<']);
const patchKeys = anchored(['', '=', '+', '<']);

const scalars = (text: fc.Arbitrary<string>) =>
  fc.oneof(text, fc.integer({ min: -5, max: 9000 }), fc.double(), fc.boolean(), fc.constant(null));

/** An object with own keys only, `__proto__` among them. */
const mapOf = (keys: fc.Arbitrary<string>, value: fc.Arbitrary<unknown>) =>
  fc
    .array(fc.tuple(keys, value), { maxLength: 4 })
    .map((entries) => Object.fromEntries(entries) as Record<string, unknown>);

function documents(keys: fc.Arbitrary<string>, text: fc.Arbitrary<string>): fc.Arbitrary<unknown> {
  return fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      scalars(text),
      fc.array(tie('value'), { maxLength: 3 }),
      mapOf(keys, tie('value')),
    ),
  })).value;
}

/** What objects of a cluster hold. */
export const values = documents(plainKeys, words);
/** What policies write where a pattern, a patch or a document is expected, outside of loops and in them. */
export interface Documents {
  readonly text: fc.Arbitrary<string>;
  readonly pattern: fc.Arbitrary<Record<string, unknown>>;
  readonly patch: fc.Arbitrary<Record<string, unknown>>;
  readonly value: fc.Arbitrary<unknown>;
  readonly data: fc.Arbitrary<Record<string, unknown>>;
}

const documentsWith = (text: fc.Arbitrary<string>): Documents => ({
  text,
  pattern: mapOf(patternKeys, documents(patternKeys, text)),
  patch: mapOf(patchKeys, documents(patchKeys, text)),
  value: documents(plainKeys, text).filter((value) => value !== null),
  data: mapOf(plainKeys, documents(plainKeys, text)),
});

export const outside = documentsWith(texts);
export const inLoop = documentsWith(loopTexts);
export const valueMaps = mapOf(plainKeys, values);

/** As a parser would have made it: no objects without a prototype, no -0, no NaN. */
export const asParsed = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
