import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

const request = (remoteAddress: string, forwarded?: string): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { 'x-forwarded-for': forwarded } }) as unknown as IncomingMessage;

describe('the address of a client', () => {
  const { of, isProxy } = createClientAddress(['10.0.0.0/8', 'fd00::/8', '192.0.2.7']);

  it('is that of the connection, whatever a client says', () => {
    expect(of(request('203.0.113.5', '198.51.100.1'))).toBe('203.0.113.5');
    expect(of(request('::ffff:203.0.113.5'))).toBe('203.0.113.5');
    expect(createClientAddress([]).of(request('127.0.0.1', '198.51.100.1'))).toBe('127.0.0.1');
  });

  it('is the last one that a trusted proxy names and that is of no trusted proxy', () => {
    expect(of(request('10.1.2.3', '198.51.100.1'))).toBe('198.51.100.1');
    expect(of(request('::ffff:10.1.2.3', '198.51.100.1'))).toBe('198.51.100.1');
    expect(of(request('192.0.2.7', '198.51.100.1, 10.9.9.9'))).toBe('198.51.100.1');
    expect(of(request('fd00::1', '2001:db8::1'))).toBe('2001:db8::1');
    // The client wrote what is before its own address.
    expect(of(request('10.1.2.3', '192.0.2.1, 198.51.100.1'))).toBe('198.51.100.1');
    expect(of(request('10.1.2.3', '[2001:db8::1]:4711'))).toBe('2001:db8::1');
    expect(of(request('10.1.2.3', '198.51.100.1:4711'))).toBe('198.51.100.1');
  });

  it('is that of the proxy where it names none', () => {
    for (const named of [undefined, '', 'unknown', ' , ', `${'1'.repeat(5_000)}`, '<script>'])
      expect(of(request('10.1.2.3', named)), named).toBe('10.1.2.3');
    const long = Array.from({ length: 5_000 }, () => '10.0.0.1').join(',');
    expect(of(request('10.1.2.3', `198.51.100.1,${long}`))).toBe('10.0.0.1');
  });

  it('knows proxies by their range', () => {
    expect(['10.255.0.1', '::ffff:10.0.0.1', 'fd12::1', '192.0.2.7', '192.0.2.8', '11.0.0.1', ''].map(isProxy)).toEqual(
      [true, true, true, true, false, false, false],
    );
  });
});
