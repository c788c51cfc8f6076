import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addQuantities, multiplyQuantity, parseQuantity, renderQuantity } from './quantity.ts';

describe('a quantity', () => {
  test.each([
    ['0', '0'],
    ['0m', '0'],
    ['100m', '100m'],
    ['0.1', '100m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1.5', '1500m'],
    ['1.500', '1.500'],
    ['+5', '+5'],
    ['005', '005'],
    ['1000', '1k'],
    ['1024', '1024'],
    ['128974848', '128974848'],
    ['129e6', '129e6'],
    ['1e3', '1e3'],
    ['1E3', '1E3'],
    ['12e2', '1200'],
    ['1e-3', '1e-3'],
    ['1024Ki', '1Mi'],
    ['1Ki', '1Ki'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['0.5Ki', '512'],
    ['0.0005Ki', '512m'],
    ['1023Mi', '1023Mi'],
    ['1024Mi', '1Gi'],
    ['2048Ei', '9223372036854775807'],
    ['9223372036854775808', '9223372036854775808'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['0.0000000001', '1n'],
    ['-0.5', '-500m'],
    ['-1024Ki', '-1Mi'],
    ['.5', '500m'],
    ['1.', '1.'],
    ['1.G', '1.G'],
    ['3E', '3E'],
    ['1000E', '1000E'],
  ])('renders %s as %s', (text, expected) => {
    expect(renderQuantity(parseQuantity(text))).toBe(expected);
  });

  test.each(['', ' 1', '1 ', '1KB', '1ki', '1K', 'x', '1e', '5-3', '1.2.3', '1e1000000000', '1mm', '--1'])(
    'rejects %j',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(expect.objectContaining({ code: 'object-quantity-invalid' }));
    },
  );

  test('amounts in different formats compare by value', () => {
    const compare = (a: string, b: string) => Math.sign(Number(parseQuantity(a).nanos - parseQuantity(b).nanos));
    expect(compare('1Gi', '1G')).toBe(1);
    expect(compare('1000m', '1')).toBe(0);
    expect(compare('0.1', '1')).toBe(-1);
    expect(compare('1e3', '1k')).toBe(0);
  });

  test('sums keep the format of the first operand', () => {
    const [a, b, zero] = [parseQuantity('1Gi'), parseQuantity('512Mi'), parseQuantity('0')];
    expect(renderQuantity(addQuantities(a, b))).toBe('1536Mi');
    expect(renderQuantity(addQuantities(zero, a))).toBe('1Gi');
    expect(renderQuantity(multiplyQuantity(parseQuantity('100m'), 3))).toBe('300m');
    expect(renderQuantity(addQuantities(a, parseQuantity('1m')))).toBe('1073741824001m');
  });

  test('a rendered quantity has the same value', () => {
    const number = fc.tuple(fc.nat(), fc.option(fc.nat(), { nil: undefined }));
    const suffix = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'T', 'Ki', 'Mi', 'Gi', 'e3', 'e-3');
    fc.assert(
      fc.property(number, suffix, ([whole, fraction], unit) => {
        const { text: _, ...quantity } = parseQuantity(
          `${whole}${fraction === undefined ? '' : `.${fraction}`}${unit}`,
        );
        expect(parseQuantity(renderQuantity(quantity)).nanos).toBe(quantity.nanos);
      }),
    );
  });
});
