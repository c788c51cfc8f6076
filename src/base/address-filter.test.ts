import { describe, expect, it } from 'vitest';
import { type AddressPolicy, checkHost, classifyAddress, guardedLookup, isAllowedAddress } from './address-filter.ts';

describe('the class of an address', () => {
  it.each([
    ['93.184.216.34', 'public'],
    ['2606:2800:220:1::1', 'public'],
    ['10.0.0.7', 'private'],
    ['172.31.255.255', 'private'],
    ['172.32.0.1', 'public'],
    ['100.64.0.1', 'private'],
    ['240.0.0.1', 'private'],
    ['fd12:3456::1', 'private'],
    ['127.9.9.9', 'loopback'],
    ['::1', 'loopback'],
    ['0:0:0:0:0:0:0:1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['169.254.0.1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['192.0.0.192', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['fd00:ec2::23', 'metadata'],
    ['fd20:ce::254', 'metadata'],
    ['FD20:00CE:0:0:0:0:0:254', 'metadata'],
    ['fd00:42::42', 'metadata'],
    ['224.0.0.1', 'multicast'],
    ['255.255.255.255', 'multicast'],
    ['ff02::1', 'multicast'],
    ['::ffff:127.0.0.1', 'translated'],
    ['::ffff:7f00:1', 'translated'],
    ['::ffff:93.184.216.34', 'translated'],
    ['0:0:0:0:0:ffff:a9fe:a9fe', 'translated'],
    ['::ffff:0:169.254.169.254', 'translated'],
    ['::127.0.0.1', 'translated'],
    ['64:ff9b::7f00:1', 'translated'],
    ['64:ff9b::169.254.169.254', 'translated'],
    ['64:ff9b::10.0.0.1', 'translated'],
    ['64:ff9b::93.184.216.34', 'public'],
    ['64:ff9b:1::93.184.216.34', 'translated'],
    ['64:ff9b:1:ffff::1', 'translated'],
    ['2002:7f00:1::', 'translated'],
    ['2001:0:53aa::1', 'translated'],
    ['fec0::1', 'reserved'],
    ['feff::1', 'reserved'],
    ['192.0.0.1', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
    ['100::1', 'reserved'],
    ['5f00::1', 'reserved'],
    ['4000::1', 'reserved'],
    ['[::1]', 'loopback'],
    ['localhost', 'invalid'],
    ['127.1', 'invalid'],
    ['', 'invalid'],
  ])('%s is %s', (address, kind) => expect(classifyAddress(address)).toBe(kind));
});

describe('the policy', () => {
  it('allows public and private addresses by default', () => {
    expect(isAllowedAddress('93.184.216.34')).toBe(true);
    expect(isAllowedAddress('10.0.0.1')).toBe(true);
    expect(isAllowedAddress('10.0.0.1', { denyPrivate: true })).toBe(false);
    expect(isAllowedAddress('127.0.0.1')).toBe(false);
    expect(isAllowedAddress('127.0.0.1', { allowLoopback: true })).toBe(true);
    expect(isAllowedAddress('169.254.169.254', { allowLoopback: true })).toBe(false);
  });

  it('checks a host that is written as an address, unless it is configured', () => {
    expect(() => checkHost('[::1]', {})).toThrow('::1 is a loopback address');
    expect(() => checkHost('127.0.0.1', { isConfiguredHost: (host) => host === '127.0.0.1' })).not.toThrow();
    expect(() => checkHost('registry.example', {})).not.toThrow();
  });
});

describe('the guarded lookup', () => {
  const ask = (addresses: readonly string[], policy: AddressPolicy = {}, all = true) =>
    new Promise((resolve) =>
      guardedLookup(policy, (_host, _options, callback) =>
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        ),
      )('registry.example', { all }, (error, address) => resolve(error?.message ?? address)),
    );

  it('returns only the allowed addresses of a name', async () => {
    expect(await ask(['169.254.169.254', '93.184.216.34'])).toEqual([{ address: '93.184.216.34', family: 4 }]);
    expect(await ask(['::1', '10.1.2.3'], {}, false)).toBe('10.1.2.3');
  });

  it('rejects a name without an allowed address', async () => {
    expect(await ask(['127.0.0.1', '::1'])).toBe(
      'registry.example resolves to a loopback address, which may not be connected to',
    );
    expect(await ask([])).toContain('may not be connected to');
  });

  it('allows any address for a configured host', async () => {
    expect(await ask(['127.0.0.1'], { isConfiguredHost: (host) => host === 'registry.example' }, false)).toBe(
      '127.0.0.1',
    );
  });
});
