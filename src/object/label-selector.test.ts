import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { labelSelectorOf, parseLabelRequirements, parseLabelSelector } from './label-selector.ts';

describe('a label selector as text', () => {
  test.each<[string, Record<string, string>, boolean]>([
    ['', {}, true],
    ['app=web', { app: 'web' }, true],
    ['app==web', { app: 'web' }, true],
    ['app=web', { app: 'db' }, false],
    ['app=web', {}, false],
    ['app!=web', {}, true],
    ['app!=web', { app: 'web' }, false],
    ['app=', { app: '' }, true],
    ['app=,tier', { app: '', tier: 'x' }, true],
    ['app', { app: 'x' }, true],
    ['!app', { app: 'x' }, false],
    ['! app', {}, true],
    ['app in (a, b)', { app: 'b' }, true],
    ['app in (a,b),tier notin (web)', { app: 'a' }, true],
    ['app in (a,b),tier notin (web)', { app: 'a', tier: 'web' }, false],
    ['app notin (a,b)', {}, true],
    ['app in ()', { app: '' }, true],
    ['app in (,a)', { app: '' }, true],
    ['app in (a,)', { app: '' }, true],
    ['in in (in, notin)', { in: 'notin' }, true],
    ['n>5', { n: '6' }, true],
    ['n > 5', { n: '5' }, false],
    ['n<5', { n: '-9223372036854775808' }, true],
    ['n<5', { n: 'four' }, false],
    ['n<5', {}, false],
    ['example.com/app=web', { 'example.com/app': 'web' }, true],
    ['constructor', {}, false],
    ['toString!=x', {}, true],
  ])('%j on %j is %j', (text, labels, expected) => {
    expect(parseLabelSelector(text)(labels)).toBe(expected);
  });

  test('absent labels are the same as none', () => {
    expect(parseLabelSelector('!app')(undefined)).toBe(true);
    expect(parseLabelSelector('app')(undefined)).toBe(false);
    expect(parseLabelSelector('a,b')(undefined)).toBe(false);
  });

  test.each([
    ['a,', "found '', expected: identifier after ','"],
    [',a', "found ',', expected: !, identifier, or 'end of string'"],
    ['a b', "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
    ['a in b', "unable to parse requirement: found 'b' expected: '('"],
    ['a in (b', "unable to parse requirement: found '', expected: ',' or ')'"],
    ['a in (b c)', "unable to parse requirement: found 'c', expected: ',' or ')'"],
    ['!a=b', "found '=', expected: ',' or 'end of string'"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['a>b', 'the value must be an integer'],
    ['a>9223372036854775808', 'the value must be an integer'],
    ['-a=b', 'unable to parse requirement: <nil>: Invalid value: "-a": name part must consist of'],
    ['a=-b', 'values[0][a]: Invalid value: "-b": a valid label must be'],
    [`a=${'x'.repeat(64)}`, 'must be no more than 63 bytes'],
    ['/a', 'prefix part must be non-empty'],
    ['a/b/c', 'a valid label key must consist of'],
  ])('rejects %j', (text, message) => {
    expect(() => parseLabelSelector(text)).toThrow(message);
  });

  test('any rendered list of requirements parses to the same list', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,5}$/);
    const values = fc.uniqueArray(word, { minLength: 1, maxLength: 4 });
    const space = fc.constantFrom('', ' ', '  ');
    fc.assert(
      fc.property(fc.array(fc.tuple(word, values, fc.boolean()), { maxLength: 4 }), space, (terms, gap) => {
        const text = terms
          .map(([key, list, isIn]) => `${key} ${isIn ? 'in' : 'notin'}${gap}(${gap}${list.join(`${gap},`)})`)
          .join(`${gap},`);
        expect(parseLabelRequirements(text)).toEqual(
          terms.map(([key, list, isIn]) => ({ key, operator: isIn ? 'in' : 'notin', values: [...list].sort() })),
        );
      }),
    );
  });

  test('throws only its own error for any text', () => {
    const noise = fc.string({ unit: fc.constantFrom('a', ' ', '=', '!', '(', ')', ',', '<', '>', 'in', '-') });
    fc.assert(
      fc.property(noise, (text) => {
        try {
          parseLabelSelector(text)({ a: 'a' });
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'object-selector-invalid' });
        }
      }),
    );
  });
});

describe('a label selector as an object', () => {
  test('an absent one selects nothing, an empty one everything', () => {
    expect(labelSelectorOf(undefined)({ a: 'b' })).toBe(false);
    expect(labelSelectorOf(null)({ a: 'b' })).toBe(false);
    expect(labelSelectorOf({})(undefined)).toBe(true);
  });

  test('matchLabels and matchExpressions must all hold', () => {
    const matches = labelSelectorOf({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'old', operator: 'DoesNotExist' },
        { key: 'team', operator: 'Exists' },
        { key: 'zone', operator: 'NotIn', values: ['z'] },
      ],
    });
    expect(matches({ app: 'web', tier: 'b', team: 'x' })).toBe(true);
    expect(matches({ app: 'web', tier: 'b', team: 'x', old: '' })).toBe(false);
    expect(matches({ app: 'web', tier: 'c', team: 'x' })).toBe(false);
    expect(matches({ app: 'web', tier: 'b', team: 'x', zone: 'z' })).toBe(false);
    expect(matches({ tier: 'b', team: 'x' })).toBe(false);
  });

  test("rejects mistakes with the API server's message", () => {
    const withExpression = (operator: string, values: string[]) => () =>
      labelSelectorOf({ matchExpressions: [{ key: 'a', operator, values }] });
    expect(withExpression('Gt', ['1'])).toThrow('"Gt" is not a valid label selector operator');
    expect(withExpression('In', [])).toThrow("values: Invalid value: []: for 'in', 'notin' operators");
    expect(withExpression('Exists', ['a'])).toThrow('values set must be empty');
    expect(() => labelSelectorOf({ matchLabels: { 'a b': 'c' } })).toThrow('key: Invalid value: "a b"');
  });
});
