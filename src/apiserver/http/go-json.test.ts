import { expect, it } from 'vitest';
import { parseJson, renderJson } from '../../base/index.ts';
import { asGoReads } from './go-json.ts';

const read = (text: string) => renderJson(asGoReads(text, parseJson(text)));

it.each([
  ['[9223372036854775807,-9223372036854775808]', '[9223372036854775807,-9223372036854775808]'],
  ['{"a":9223372036854775808}', '{"a":9223372036854776000}'],
  ['123456789012345678901234567890', '1.2345678901234568e+29'],
  ['{"__proto__":["\\ud800x"]}', '{"__proto__":["\ufffdx"]}'],
  ['{"\\udc00":"\\ud83d\\ude00"}', '{"\ufffd":"😀"}'],
  ['1.7976931348623157e308', '1.7976931348623157e+308'],
])('reads %s as Go does', (text, expected) => expect(read(text)).toBe(expected));

it.each(['1e400', '{"a":[-1e999]}'])('refuses %s', (text) => expect(() => read(text)).toThrow('out of the range'));

it('reads what is nested 9,000 levels deep', () => {
  const text = `${'['.repeat(9_000)}"\\ud800"${']'.repeat(9_000)}`;
  expect(read(text)).toContain('"\ufffd"');
});
