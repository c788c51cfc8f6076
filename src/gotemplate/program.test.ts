import { describe, expect, test } from 'vitest';
import { TemplateError } from './errors.ts';
import { type CompileOptions, compile, type RenderOptions } from './program.ts';

const render = (template: string, data: unknown = {}, options?: RenderOptions & CompileOptions) =>
  compile(template, { name: 't', ...options }).render(data, options);

function failure(work: () => unknown): TemplateError {
  try {
    work();
  } catch (thrown) {
    return thrown as TemplateError;
  }
  throw new Error('nothing was thrown');
}

describe('errors', () => {
  test('carry code and place beside the words of Go', () => {
    const thrown = failure(() => render('a\n  {{ .missing }}'));
    expect(thrown).toBeInstanceOf(TemplateError);
    expect(thrown).toMatchObject({
      code: 'template-missing-key',
      retry: 'never',
      message: 'template: t:2:5: executing "t" at <.missing>: map has no entry for key "missing"',
      position: { template: 't', line: 2, column: 5 },
    });
  });

  test('of a text that is no template name the line', () => {
    expect(failure(() => compile('a\n{{if}}', { name: 'x' }))).toMatchObject({
      code: 'template-syntax',
      message: 'template: x:2: missing value for if',
      position: { template: 'x', line: 2 },
    });
  });

  test('inside include and tpl keep their code and name both places', () => {
    const thrown = failure(() => render('{{define "x"}}{{.a}}{{end}}{{include "x" .}}'));
    expect(thrown.code).toBe('template-missing-key');
    expect(thrown.message).toMatch(
      /executing "t" at <include "x" .>: error calling include: template: .*<.a>: map has no/,
    );
    expect(failure(() => render('{{tpl "{{ .a" .}}')).message).toMatch(
      /error calling tpl: template: tpl:1: unclosed action$/,
    );
  });
});

describe('a program', () => {
  test('renders any of the templates its text defines', () => {
    const program = compile('{{define "a"}}A{{.}}{{end}}{{define "b"}}B{{end}}main', { name: 't' });
    expect(program.templates).toEqual(['a', 'b', 't']);
    expect([program.render(1, { template: 'a' }), program.render(1)]).toEqual(['A1', 'main']);
    expect(() => program.render(1, { template: 'c' })).toThrow('no template "c" associated with template "t"');
  });

  test('takes other delimiters', () => {
    expect(render('[[ .a ]] {{ .a }}', { a: 1 }, { leftDelimiter: '[[', rightDelimiter: ']]' })).toBe('1 {{ .a }}');
  });

  test("knows only Go's own functions where asked to", () => {
    expect(() => compile('{{upper "a"}}', { functions: 'go' })).toThrow('function "upper" not defined');
  });

  test('has no functions that reach outside', () => {
    for (const name of ['env', 'expandenv', 'getHostByName', 'lookup', 'genPrivateKey']) {
      expect(() => compile(`{{${name} "x"}}`)).toThrow(`function "${name}" not defined`);
    }
  });

  test('renders templates that a text from the data brings along', () => {
    const text = '{{define "inner"}}<{{.}}>{{end}}{{template "inner" .name}}{{include "outer" .}}';
    expect(render('{{define "outer"}}o{{end}}{{tpl .text .}}', { text, name: 'x' })).toBe('<x>o');
    expect(() => render('{{$_ := tpl .text .}}{{template "inner" 1}}', { text: '{{define "inner"}}{{end}}' })).toThrow(
      'template "inner" not defined',
    );
  });
});

describe('required', () => {
  test.each([
    ['{{required "name it" .x}}', { x: 'v' }, 'v'],
    ['{{.x | required "name it"}}', { x: 'v' }, 'v'],
    ['{{required .x "name it"}}', { x: 'v' }, 'v'],
    ['{{required .x "name it"}}', { x: 3 }, '3'],
    ['{{required .x .message}}', { x: 3, message: 'm' }, '3'],
  ])("takes Helm's order and the seed's where it is plain: %s", (template, data, text) => {
    expect(render(template, data)).toBe(text);
  });

  test.each(['{{required "name it" .x}}', '{{required .x "name it"}}', '{{.x | required "name it"}}'])(
    '%s fails',
    (template) => {
      for (const x of ['', null]) expect(() => render(template, { x })).toThrow(/error calling required: name it$/);
    },
  );
});

describe('functions of the seed', () => {
  test.each([
    ['Team/My_App', 'team-my-app'],
    ['--a--', 'a'],
    ['', 'unnamed'],
    ['\u00e9', 'unnamed'],
    [`${'a'.repeat(62)}-b`, 'a'.repeat(62)],
  ])('k8sName %j', (name, label) => {
    expect(render('{{k8sName .}}', name)).toBe(label);
  });

  test('toJSON', () => {
    expect(render('{{toJSON .}}', { b: '<', a: [1] })).toBe('{"a":[1],"b":"<"}');
  });
});

describe('time and chance', () => {
  const options = { now: () => Date.UTC(2024, 1, 29, 23, 30, 5, 250) };

  test('come from the options', () => {
    expect(render('{{now}} {{date "15:04" now}}', {}, options)).toBe('2024-02-29 23:30:05.25 +0000 UTC 23:30');
    expect(render('{{date "2006-01-02 15:04 MST" now}}', {}, { ...options, timeZone: 'America/New_York' })).toBe(
      '2024-02-29 18:30 EST',
    );
    expect(
      render('{{ago (toDate "2006-01-02" "2024-02-29")}} {{durationRound (toDate "2006" "2020")}}', {}, options),
    ).toBe('23h30m5s 4y');
  });

  test('has no random functions: the same data render the same text', () => {
    for (const name of ['randAlphaNum', 'randInt', 'shuffle', 'uuidv4', 'encryptAES'])
      expect(() => compile(`{{${name} 5}}`)).toThrow(`function "${name}" not defined`);
  });

  test('decrypts what sprig encrypted, and nothing else', () => {
    expect(render('{{decryptAES "key" "AAAAAAAAAAAAAAAAAAAAAJcpI2isA0jC0ns+a2EAk78="}}')).toBe('secret');
    expect(() => render('{{decryptAES "key" "bm90IGl0"}}')).toThrow('not encrypted');
  });
});
