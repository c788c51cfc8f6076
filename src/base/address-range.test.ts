import { expect, it } from 'vitest';
import { parseAddressRange } from './address-range.ts';

it('takes ranges and addresses, and nothing else', () => {
  expect(parseAddressRange('10.0.0.0/8')).toEqual({ address: '10.0.0.0', bits: 8, family: 'ipv4' });
  expect(parseAddressRange('10.0.0.1')).toEqual({ address: '10.0.0.1', bits: 32, family: 'ipv4' });
  expect(parseAddressRange('fd00::/8')).toEqual({ address: 'fd00::', bits: 8, family: 'ipv6' });
  expect(parseAddressRange('::1')?.bits).toBe(128);
  const wrong = ['', '10.0.0.0/33', 'fd00::/129', 'example.com', '10.0.0.0/', '10.0.0/8', '10.0.0.0/-1', 'a/8'];
  expect(wrong.filter((text) => parseAddressRange(text))).toEqual([]);
});
