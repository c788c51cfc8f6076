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

const unchecked = 'without a type checker, which Kubernetes always has';

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
  'basic/variables/unbound_is_runtime_error': unchecked,
  'basic/functions/unbound_is_runtime_error': unchecked,
  'comparisons/eq_literal/not_eq_list_length': unchecked,
  'comparisons/eq_literal/eq_mixed_types': unchecked,
  'comparisons/eq_literal/eq_list_elem_mixed_types': unchecked,
  'comparisons/ne_literal/ne_mixed_types': unchecked,
  'logic/conditional/mixed_type': unchecked,
  'logic/AND/short_circuit_type_left': unchecked,
  'logic/AND/short_circuit_type_right': unchecked,
  'logic/OR/short_circuit_type_left': unchecked,
  'logic/OR/short_circuit_type_right': unchecked,
  ...Object.fromEntries(
    'as break const continue else for function if import let loop package namespace return var void while'
      .split(' ')
      .map((name) => [`parse/receiver_function_names/${name}`, unchecked]),
  ),
};

/** What errors are called in the suite, and what cel-go, and so Kubernetes, calls them; others contain the suite's words. */
const wordings: readonly (readonly [suite: RegExp, ours: RegExp])[] = [
  [/^no.such.overload$/, /no such overload|found no matching overload/],
  [/^no matching overload$/, /division by zero|found no matching overload|expected type 'bool' but found/],
  [/^divide by zero$/, /division by zero/],
  [/^return error for overflow$/, /integer overflow/],
  [
    /^range(?: error)?$/,
    /overflow|invalid RFC 3339 timestamp|type conversion error from 'string' to 'google.protobuf.D/,
  ],
  [/^invalid_argument$/, /index out of bounds|unsupported index (?:type|value)/],
  [/^(?:unbound function|unknown variable)$/, /undeclared reference to/],
  [/^no such key/, /no such key|invalid qualifier type: types\.Bytes/],
  [/^unsupported key type$/, /invalid qualifier type: types\.Null/],
  [/does not support field selection$/, /does not support field selection/],
  [/^foo$/, /division by zero/],
];

function expectedError({ evalError }: SpecTest): RegExp {
  const [error] = (evalError?.['errors'] ?? []) as readonly { readonly message?: string }[];
  const message = error?.message ?? '';
  const [, ours] = wordings.find(([suite]) => suite.test(message)) ?? [];
  return ours ?? new RegExp(message.replaceAll(/[^a-z0-9]+/gi, '.+'), 'i');
}

const cases = specTests.filter((test) => !isAboutProtobuf(test));

function reasonFor(test: SpecTest): string | undefined {
  const { name, path } = test;
  const [, reason] =
    Object.entries(excluded).find(([key]) => key === `${path}/${name}` || path === key || path.startsWith(`${key}/`)) ??
    [];
  return reason;
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
      expect(answer.error, JSON.stringify(answer.value)).toMatch(expectedError(test));
      return;
    }
    const wanted = test.typedResult?.result ?? test.value ?? (test.checkOnly ? undefined : { boolValue: true });
    if (wanted) expect(sorted(answer), test.expr).toMatchObject({ value: sorted(encode(decodeValue(wanted))) });
    const deduced = test.typedResult?.deducedType;
    if (deduced) expect(answer.type, answer.error).toBe(renderType(decodeType(deduced)));
  });

  it('are all that are not about protocol buffers, but for those that are named', () => {
    expect([cases.length, running.length]).toEqual([1650, 1578]);
    const paths = cases.flatMap(({ path, name }) => [path.split('/')[0], `${path}/${name}`]);
    expect(Object.keys(excluded).filter((name) => !paths.includes(name))).toEqual([]);
  });

  it.each(cases.filter((test) => reasonFor(test) === unchecked).map((test) => [test.name, test] as const))(
    '%s is refused by the type checker',
    (_, test) => {
      expect(() => compile(test.expr, environmentFor(test))).toThrow(expect.objectContaining({ code: 'cel-type' }));
    },
  );
});
