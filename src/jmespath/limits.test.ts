import { describe, expect, it } from 'vitest';
import { compile, JmespathError, maxExpressionLength, maxNesting } from './index.ts';

function codeOf(expression: string, data: unknown = {}): string {
  try {
    compile(expression).evaluate(data, { random: () => 0.999 });
  } catch (thrown) {
    if (thrown instanceof JmespathError) return thrown.code;
    throw thrown;
  }
  return 'fine';
}

const repeat = (text: string, times: number, glue = '') => Array(times).fill(text).join(glue);
const wide = { list: Array.from({ length: 3000 }, (_, n) => ({ n, s: `text ${n}` })), text: 'a'.repeat(200_000) };

describe('an expression', () => {
  it.each([
    ['too long', `'${'x'.repeat(maxExpressionLength)}'`, 'jmespath-too-long'],
    ['too many brackets', '['.repeat(5000) + ']'.repeat(5000), 'jmespath-too-deep'],
    ['too many parentheses', '('.repeat(5000), 'jmespath-too-deep'],
    ['a chain that is too long', repeat('a', 5000, '.'), 'jmespath-too-deep'],
    ['an alternative that is too long', repeat('a', 5000, ' || '), 'jmespath-too-deep'],
    ['too many pipes', repeat('@', 5000, '|'), 'jmespath-too-deep'],
    ['too many calls', repeat('abs(', 5000), 'jmespath-too-deep'],
    ['too many negations', `${'!'.repeat(5000)}a`, 'jmespath-too-deep'],
    ['too many references', `${'& '.repeat(5000)}a`, 'jmespath-too-deep'],
    ['a literal that is too deep', `\`${'['.repeat(5000)}${']'.repeat(5000)}\``, 'jmespath-syntax'],
  ])('is refused: %s', (_, expression, code) => {
    expect(codeOf(expression)).toBe(code);
  });

  it('may be as long as the limit and nest as deep', () => {
    expect(codeOf(`'${'x'.repeat(maxExpressionLength - 2)}'`)).toBe('fine');
    expect(codeOf(repeat('a', maxNesting - 1, ' || '))).toBe('fine');
    expect(codeOf(`${'('.repeat(maxNesting - 1)}@${')'.repeat(maxNesting - 1)}`)).toBe('fine');
  });
});

describe('an evaluation', () => {
  it.each([
    [
      'loops in loops',
      'list[*].[@.n, n].map(&@, @) && map(&map(&map(&n, $), $), $)'.replaceAll('$', 'to_array(@)'),
      'fine',
    ],
    ['a product of lists', `map(&map(&@, \`[${repeat('0', 3000, ',')}]\`), list)`, 'jmespath-limit'],
    ['a result that doubles with every step', repeat('[@, @]', 40, ' | '), 'jmespath-limit'],
    ['a long list in a result that doubles', `list[*].n | ${repeat('[@, @]', 40, ' | ')}`, 'jmespath-limit'],
    ['text of a result that doubles', `to_string(${repeat('[@, @]', 40, ' | ')})`, 'jmespath-limit'],
    [
      'comparing results that double',
      `(${repeat('[@, @]', 40, ' | ')}) == (${repeat('[@, @]', 40, ' | ')})`,
      'jmespath-limit',
    ],
    ['text that doubles', `text | ${repeat("replace_all(@, 'a', 'aa')", 40, ' | ')}`, 'jmespath-limit'],
    ['text that multiplies', `replace_all(text, 'a', '${'b'.repeat(100_000)}')`, 'jmespath-limit'],
    ['text put between every letter', `replace_all(text, '', '${'b'.repeat(100_000)}')`, 'jmespath-limit'],
    ['text that a regex multiplies', `regex_replace_all('a', text, '${'b'.repeat(100_000)}')`, 'jmespath-limit'],
    ['text that a template doubles', repeat("regex_replace_all('(.*)', 'aaaaaaaaaaaa', '$1$1')", 1), 'fine'],
    ['lists joined to a huge text', `join('${'x'.repeat(100_000)}', split(text, ''))`, 'jmespath-limit'],
    ['random text without end', "random('((((a{99}){99}){99}){99})')", 'jmespath-invalid-value'],
    ['random text that is huge', "random('((((x*)y)*z)*w)*')", 'jmespath-limit'],
  ])('is bounded: %s', (_, expression, code) => {
    expect(codeOf(expression, wide)).toBe(code);
  });

  it.each([
    ['nested stars', "regex_match('(a*)*(a*)*(a*)*b', text)"],
    ['many alternatives', `regex_match('(${repeat('a?', 200)}${repeat('a', 200)})+b', text)`],
    ['a search that reads to the end every time', "regex_replace_all('(a)(?:.*b)?', text, '$1')"],
    ['fifty stars', `pattern_match('${'*a'.repeat(50)}*b', text)`],
    ['a pattern of its own length', 'pattern_match(text, text)'],
    ['base64 of nothing but padding', "base64_decode(replace_all(text, 'a', '='))"],
    ['a path of dots', "path_canonicalize(replace_all(text, 'a', '../'))"],
    ['a range of spaces', "semver_compare('1.2.3', replace_all(text, 'a', ' '))"],
    ['an image name of dots', "image_normalize(replace_all(text, 'aa', 'a.'))"],
    ['a time of spaces', "time_parse(replace_all(text, 'a', ' '), replace_all(text, 'a', ' '))"],
    ['a duration of digits', "add(replace_all(text, 'a', '9'), '1h')"],
    ['a quantity with a giant exponent', "multiply('1e999999999', `2`)"],
  ])('ends soon: %s', (_, expression) => {
    const start = performance.now();
    expect(codeOf(expression, wide)).toMatch(/^(?:fine|jmespath-(?:limit|invalid-value))$/);
    expect(performance.now() - start).toBeLessThan(15_000);
  });

  it('stops at the steps it is given', () => {
    const program = compile('list[*].n');
    expect(program.evaluate(wide, { steps: 4000 })).toHaveLength(3000);
    expect(() => program.evaluate(wide, { steps: 1000 })).toThrow(JmespathError);
  });
});
