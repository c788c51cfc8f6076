import { describe, expect, test } from 'vitest';
import { TemplateError } from './errors.ts';
import { compile, type RenderOptions } from './program.ts';

function failure(template: string, options: RenderOptions = {}, data: unknown = {}): TemplateError {
  try {
    compile(template, { name: 't' }).render(data, options);
  } catch (thrown) {
    if (thrown instanceof TemplateError) return thrown;
    throw thrown;
  }
  throw new Error('the rendering did not fail');
}

/** Each level holds the one before twice: printed, it is as long as two to the power of its levels. */
const doubling = (levels: number) => `{{$x := list 1 1}}{{range until ${levels}}}{{$x = list $x $x}}{{end}}`;

describe('a template cannot run for ever', () => {
  test.each([
    ['{{range until 20000}}{{range until 20000}}{{end}}{{end}}', 'template-steps-limit'],
    ['{{range 1000000000}}{{end}}', 'template-steps-limit'],
    [`${doubling(60)}{{$x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{toJson $x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{toYaml $x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{deepCopy $x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{deepEqual $x (list (first $x) (last $x))}}`, 'template-steps-limit'],
    [`${doubling(60)}{{printf "%d" $x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{quote $x}}`, 'template-steps-limit'],
    [`${doubling(60)}{{eq $x $x}}`, 'template-steps-limit'],
    ['{{define "x"}}{{template "x" .}}{{end}}{{template "x" .}}', 'template-depth-limit'],
    ['{{define "x"}}{{include "x" .}}{{end}}{{include "x" .}}', 'template-depth-limit'],
    ['{{define "x"}}{{tpl "{{include `x` .}}" .}}{{end}}{{template "x" .}}', 'template-depth-limit'],
    ['{{define "x"}}{{template "x" .}}{{template "x" .}}{{end}}{{template "x" .}}', 'template-depth-limit'],
    ['{{repeat 1000000000 "x"}}', 'template-output-limit'],
    ['{{$x := "ab"}}{{range 60}}{{$x = print $x $x}}{{end}}', 'template-output-limit'],
    ['{{until 1000000000}}', 'template-output-limit'],
    ['{{seq 1 1000000000}}', 'template-output-limit'],
    ['{{indent 100000000 "a"}}', 'template-output-limit'],
    ['{{$x := repeat 100000 "a"}}{{replace "a" $x $x}}', 'template-output-limit'],
    ['{{printf "%1000000d%1000000d%1000000d" 1 2 3}}', 'template-output-limit'],
    ['{{$x := repeat 100000 "ab"}}{{range 1000}}{{$y := upper $x}}{{end}}', 'template-steps-limit'],
    ['{{$x := repeat 200000 "a"}}{{range 1000}}{{regexReplaceAll "(a*)*b" $x "c"}}{{end}}', 'template-steps-limit'],
  ] as const)('%s', (template, code) => {
    expect(failure(template, { limits: { steps: 300_000, output: 2_000_000 } }).code).toBe(code);
  });

  test('the time limit is looked at while it runs', () => {
    let now = 0;
    const monotonicMs = () => (now += 100);
    const thrown = failure('{{range 1000000}}x{{end}}', { monotonicMs, limits: { timeMs: 1000 } });
    expect(thrown.code).toBe('template-time-limit');
    expect(thrown.message).toMatch(
      /^template: t:1:\d+: executing "t" at <.*>: the rendering takes longer than 1000 ms$/,
    );
  });

  test('limits are settings', () => {
    expect(failure('{{range 100}}x{{end}}', { limits: { steps: 50 } }).code).toBe('template-steps-limit');
    expect(failure('0123456789', { limits: { output: 5 } }).code).toBe('template-output-limit');
    expect(failure('{{define "x"}}{{template "x"}}{{end}}{{template "x"}}', { limits: { depth: 3 } }).message).toMatch(
      /exceeded maximum template depth \(3\)$/,
    );
  });
});

describe('a text cannot overwhelm the parser', () => {
  test.each([
    ['parentheses', `{{${'('.repeat(100_000)}1`, 'template-syntax'],
    ['nested actions', '{{if 1}}'.repeat(100_000), 'template-syntax'],
    ['nested blocks', '{{block "a" .}}'.repeat(100_000), 'template-syntax'],
    ['a text of many megabytes', 'x'.repeat(5_000_000), 'template-too-long'],
  ])('%s', (_, text, code) => {
    expect(() => compile(text)).toThrow(expect.objectContaining({ code }));
  });

  test('many actions and long chains are fine', () => {
    expect(compile('{{.a}}'.repeat(20_000)).render({ a: 1 })).toBe('1'.repeat(20_000));
    expect(compile(`{{.a ${'| print '.repeat(5000)}}}`).render({ a: 1 })).toBe('1');
  });
});

test('data that contain themselves end in an error, not in a crash', () => {
  const data: Record<string, unknown> = { list: [] };
  data['self'] = data;
  for (const template of ['{{.}}', '{{toJson .}}', '{{toYaml .}}', '{{deepCopy .}}', '{{$_ := set . "a" 1}}']) {
    expect(['template-execution', 'template-data', 'template-depth-limit']).toContain(failure(template, {}, data).code);
  }
  expect(compile('{{.self.self.self.list}}').render(data)).toBe('[]');
});
