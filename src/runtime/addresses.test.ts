import { describe, expect, it } from 'vitest';
import { isAllowedAddress } from './addresses.ts';

describe('addresses that policies may call', () => {
  it.each(['10.0.0.7', '192.168.1.1', '93.184.216.34', '2606:2800:220:1::1', 'fd12:3456::1'])('%s', (address) =>
    expect(isAllowedAddress(address)).toBe(true),
  );
});

describe('addresses that policies may not call', () => {
  it.each([
    '127.0.0.1',
    '127.9.9.9',
    '0.0.0.0',
    '169.254.169.254',
    '169.254.0.1',
    '100.100.100.200',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'ff02::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'localhost',
    '',
  ])('%j', (address) => expect(isAllowedAddress(address)).toBe(false));
});
