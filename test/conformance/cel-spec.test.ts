/** The conformance tests of the CEL specification, but for messages of protocol buffers. */
import { describe, expect, it } from 'vitest';
import { CelCompileError } from '../../src/cel/errors.ts';
import { compile } from '../../src/cel/program.ts';
import { renderType } from '../../src/cel/types.ts';
import { CelError } from '../../src/cel/values/values.ts';
import { encode, sorted } from '../support/cel-answer.ts';
import {
  decodeType,
  decodeValue,
  environmentFor,
  isAboutProtobuf,
  type SpecTest,
  specTests,
} from '../support/cel-spec.ts';

const duplicate = 'cel-go, and so Kubernetes, does not refuse a key that is written twice';
const constantKey = 'a constant that cannot be a key is refused while compiling, as Kubernetes does';
const presence = 'Kubernetes finds nothing in what is no map, and does not refuse to look';
const searchPast = 'cel-go, and so Kubernetes, finds nothing behind the end of a text, and does not refuse';
const formatVersion = 'Kubernetes has version 2 of the library, which writes these otherwise';

/** Why a case does not pass: its name, or the part of the suite it is in. */
const excluded: Readonly<Record<string, string>> = {
  block_ext: 'cel.block is a form that optimizers write; neither Kubernetes nor Kyverno has it',
  'fields/map_fields/map_bad_key_type_or_true': constantKey,
  'fields/map_fields/map_bad_key_type_and_false': constantKey,
  'fields/qualified_identifier_resolution/map_key_float': 'cel-go, and so Kubernetes, takes a double for a key',
  'fields/qualified_identifier_resolution/map_value_repeat_key': duplicate,
  'fields/qualified_identifier_resolution/map_value_repeat_key_heterogeneous': duplicate,
  'string_ext/value_errors/indexof_out_of_range': searchPast,
  'string_ext/value_errors/lastindexof_out_of_range': searchPast,
  'type_deductions/legacy_nullable_types/null_assignable_to_abstract_parameter_candidate':
    'cel-go, and so Kubernetes, takes such a list for one of null',
  'optionals/optionals/map_null_entry_no_such_key': presence,
  'optionals/optionals/map_present_key_invalid_field': presence,
  ...Object.fromEntries(
    [
      'NaN support for decimal',
      'positive infinity support for decimal',
      'negative infinity support for decimal',
      'list support for string',
      'map support for string',
      'map support (all key types)',
      'dyntype NaN/infinity support',
      'dyntype support for lists',
      'dyntype support for maps',
    ].map((name) => [`string_ext/format/${name}`, formatVersion]),
  ),
};

const cases = specTests.filter((test) => !isAboutProtobuf(test));

function reasonFor(test: SpecTest): string | undefined {
  const { name, path } = test;
  const [, reason] =
    Object.entries(excluded).find(([key]) => key === `${path}/${name}` || path === key || path.startsWith(`${key}/`)) ??
    [];
  return reason ?? (isUnchecked(test) ? 'without a type checker, which Kubernetes always has' : undefined);
}

/** Meant to be run without a type checker, and refused by it. */
function isUnchecked(test: SpecTest): boolean {
  if (!test.disableCheck || test.evalError) return false;
  try {
    compile(test.expr, environmentFor(test));
    return false;
  } catch (thrown) {
    return thrown instanceof CelCompileError && thrown.code === 'cel-type';
  }
}

function run(test: SpecTest): { value?: unknown; type?: string; error?: string } {
  const { environment, variables } = environmentFor(test);
  const bindings = test.bindings ?? {};
  // Names that are bound but not declared are those of tests without a type checker.
  const all = new Map(variables);
  for (const name of Object.keys(bindings)) if (!all.has(name)) all.set(name, decodeType({ dyn: {} }));
  try {
    const program = compile(test.expr, { environment, variables: all });
    if (test.checkOnly) return { type: renderType(program.type) };
    const inputs = [...all.keys()].map((name) => (bindings[name] ? decodeValue(bindings[name].value) : undefined));
    const { value } = program.evaluate(inputs);
    return value instanceof CelError
      ? { error: value.message }
      : { value: encode(value), type: renderType(program.type) };
  } catch (thrown) {
    if (!(thrown instanceof CelCompileError)) throw thrown;
    return { error: thrown.message };
  }
}

describe('the conformance tests of CEL', () => {
  const running = cases.filter((test) => reasonFor(test) === undefined);

  it.each(running.map((test) => [`${test.path}/${test.name}`, test] as const))('%s', (_, test) => {
    const answer = run(test);
    if (test.evalError) {
      expect(answer.error, JSON.stringify(answer.value)).toBeDefined();
      return;
    }
    const wanted = test.typedResult?.result ?? test.value ?? (test.checkOnly ? undefined : { boolValue: true });
    if (wanted) expect(sorted(answer), test.expr).toMatchObject({ value: sorted(encode(decodeValue(wanted))) });
    const deduced = test.typedResult?.deducedType;
    if (deduced) expect(answer.type, answer.error).toBe(renderType(decodeType(deduced)));
  });

  it('are nearly all that are not about protocol buffers', () => {
    expect(cases.length).toBeGreaterThan(1600);
    expect(running.length).toBeGreaterThan(1550);
  });
});
