import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDuration, parseDurationMs, renderDuration } from './duration.ts';

const s = 1_000_000_000n;

test.each<[string, bigint]>([
  ['0', 0n],
  ['5s', 5n * s],
  ['+5s', 5n * s],
  ['-5s', -5n * s],
  ['-0', 0n],
  ['5.0s', 5n * s],
  ['5.6s', (56n * s) / 10n],
  ['5.s', 5n * s],
  ['.5s', s / 2n],
  ['100.00100s', 100_001_000_000n],
  ['10ns', 10n],
  ['11us', 11_000n],
  ['12µs', 12_000n],
  ['12μs', 12_000n],
  ['13ms', 13_000_000n],
  ['3h30m', 12_600n * s],
  ['10.5s4m', 250_500_000_000n],
  ['-2m3.4s', -123_400_000_000n],
  ['9223372036854775807ns', 2n ** 63n - 1n],
  ['-9223372036854775808ns', -(2n ** 63n)],
  ['0.3333333333333333333h', 1200n * s],
  ['0.830103483285477580700h', 2_988_372_539_827n],
])('parses %s as Go does', (text, nanos) => {
  expect(parseDuration(text)).toBe(nanos);
});

test.each([
  '',
  '3',
  '-',
  's',
  '.',
  '-.',
  '.s',
  '+.s',
  '1d',
  '1x',
  ' 1s',
  '1s ',
  '9223372036854775808ns',
  '3000000h',
  '1h2',
])('rejects %j', (text) => {
  expect(() => parseDuration(text)).toThrow(expect.objectContaining({ code: 'object-duration-invalid' }));
});

test.each<[bigint, string]>([
  [0n, '0s'],
  [1n, '1ns'],
  [1_100n, '1.1µs'],
  [2_200_000n, '2.2ms'],
  [(33n * s) / 10n, '3.3s'],
  [245n * s, '4m5s'],
  [245_001_000_000n, '4m5.001s'],
  [18_367_001_000_000n, '5h6m7.001s'],
  [480_000_000_001n, '8m0.000000001s'],
  [3600n * s, '1h0m0s'],
  [-(2n ** 63n), '-2562047h47m16.854775808s'],
])('formats %s as %s', (nanos, text) => {
  expect(renderDuration(nanos)).toBe(text);
});

test('a formatted duration parses to the same value', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 50n), max: 2n ** 50n }), (nanos) => {
      expect(parseDuration(renderDuration(nanos))).toBe(nanos);
    }),
  );
});

test('milliseconds are rounded up', () => {
  expect(parseDurationMs('1500us')).toBe(2);
  expect(parseDurationMs('2m')).toBe(120_000);
});
