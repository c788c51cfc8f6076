import { describe, expect, test } from 'vitest';
import { compile, type RenderOptions } from './program.ts';

const render = (template: string, data: unknown, options?: RenderOptions) =>
  compile(template, { name: 't' }).render(data, options);

describe('data', () => {
  test('are never changed, whatever a template does to them', () => {
    const data = { a: { b: 1 }, list: [{ x: 1 }] };
    const before = structuredClone(data);
    const template = `{{$_ := set .a "b" 2}}{{$_ := unset . "list"}}{{$_ := mergeOverwrite .a (dict "c" 3)}}{{.a}}{{len .}}`;
    expect(render(template, data)).toBe('map[b:2 c:3]1');
    expect(render('{{tpl "{{ set .a `b` 9 }}" .}}', data)).toBe('map[b:9]');
    expect(data).toEqual(before);
  });

  test('may be frozen', () => {
    const data = Object.freeze({ a: Object.freeze({ b: 1 }) });
    expect(render('{{$_ := set .a "b" 2}}{{.a.b}}', data)).toBe('2');
  });

  test('a Map is a map', () => {
    const data = new Map<string, unknown>([
      ['b', 2],
      ['a', new Map([['x', 1]])],
    ]);
    expect(render('{{.}} {{.a.x}} {{len .}} {{range $k, $v := .}}{{$k}}{{end}} {{hasKey . "b"}}', data)).toBe(
      'map[a:map[x:1] b:2] 1 2 ab true',
    );
    expect(() => render('{{.}}', new Map([[1, 2]]))).toThrow(expect.objectContaining({ code: 'template-data' }));
  });

  test('whole numbers are ints, others floats, and big integers keep their digits', () => {
    expect(
      render('{{range .}}{{printf "%T %v; " . .}}{{end}}', [1, -0, 1.5, 9007199254740993n, 2 ** 53, Number.NaN]),
    ).toBe('int 1; int 0; float64 1.5; int 9007199254740993; float64 9.007199254740992e+15; float64 NaN; ');
  });

  test('all numbers are floats where the caller says so', () => {
    expect(render('{{.a}} {{typeOf .a}} {{.b}}', { a: 1000000, b: [1] }, { numbers: 'float64' })).toBe(
      '1e+06 float64 [1]',
    );
  });

  test('a property that is undefined is not there', () => {
    expect(() => render('{{.a}}', { a: undefined })).toThrow('map has no entry for key "a"');
    expect(render('{{len .}} {{.}} {{if .}}a{{else}}b{{end}}', { a: undefined })).toBe('0 map[] b');
  });

  test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty', 'length'])(
    '%s is a key like any other',
    (key) => {
      expect(() => render(`{{.${key}}}`, {})).toThrow(`map has no entry for key "${key}"`);
      expect(() => render(`{{(dict).${key}}}`, {})).toThrow(`map has no entry for key "${key}"`);
      expect(() => render(`{{.x.${key}}}`, { x: [] })).toThrow("can't evaluate field");
      expect(() => render(`{{(semver "1.2.3").${key}}}`, {})).toThrow("can't evaluate field");
      const template = `{{$d := dict}}{{$_ := set $d "${key}" 5}}{{$d.${key}}} {{$d}} {{hasKey $d "${key}"}}`;
      expect(render(template, {})).toBe(`5 map[${key}:5] true`);
      expect(Object.prototype).not.toHaveProperty('5');
    },
  );

  test.each([
    ['a function', () => 1],
    ['a symbol', Symbol('x')],
    ['an object of a class', new (class Thing {})()],
    ['a Date', new Date(0)],
  ])('%s is refused with its kind', (_, value) => {
    expect(() => render('{{.x}}', { x: value })).toThrow(expect.objectContaining({ code: 'template-data' }));
  });
});
