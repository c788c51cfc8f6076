import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseChallenges } from './challenge.ts';
import { findEndpoint } from './endpoint.ts';
import { nextPage } from './link.ts';
import { PieceRing } from './piece-ring.ts';
import { isLoopback, proxyFor, proxyFromEnvironment } from './proxy.ts';
import { createRedactor } from './redact.ts';

describe('a challenge', () => {
  it('is parsed with its parameters, quoted or not, and beside others', () => {
    expect(parseChallenges('Bearer realm="https://auth/token",service="a, b",scope="x:y:pull,push"')).toEqual([
      { scheme: 'bearer', parameters: { realm: 'https://auth/token', service: 'a, b', scope: 'x:y:pull,push' } },
    ]);
    expect(parseChallenges('Negotiate, Basic realm=x, BEARER realm="q\\"q"')).toEqual([
      { scheme: 'negotiate', parameters: {} },
      { scheme: 'basic', parameters: { realm: 'x' } },
      { scheme: 'bearer', parameters: { realm: 'q"q' } },
    ]);
  });

  it('of any text is parsed to an end', () => {
    fc.assert(fc.property(fc.string(), (text) => Array.isArray(parseChallenges(text))));
  });
});

describe('the next page', () => {
  const base = new URL('https://registry.example/v2/a/tags/list?n=2');
  it.each([
    ['</v2/a/tags/list?last=b&n=2>; rel="next"', 'https://registry.example/v2/a/tags/list?last=b&n=2'],
    ['<https://other.example/x>; rel=next', 'https://other.example/x'],
    ['<?last=b>; title="x"; rel="prev next"', 'https://registry.example/v2/a/tags/list?last=b'],
    ['</a>; rel="prev", </b>; rel="next"', 'https://registry.example/b'],
    ['</a>; rel="nextish"', undefined],
    ['nonsense', undefined],
  ])('of %s is %s', (header, expected) => expect(nextPage(header, base)?.href).toBe(expected));
});

describe('the proxy', () => {
  const settings = proxyFromEnvironment({
    HTTPS_PROXY: 'http://proxy:3128',
    http_proxy: 'http://plain:3128',
    NO_PROXY: 'internal.example, .corp, 10.0.0.0/8,quay.io:8443, [fd00::1]',
  });
  it.each([
    ['https://docker.io/', 'http://proxy:3128'],
    ['http://docker.io/', 'http://plain:3128'],
    ['https://internal.example/', undefined],
    ['https://a.internal.example/', undefined],
    ['https://notinternal.example/', 'http://proxy:3128'],
    ['https://x.corp/', undefined],
    ['https://10.2.3.4/', undefined],
    ['https://11.2.3.4/', 'http://proxy:3128'],
    ['https://quay.io/', 'http://proxy:3128'],
    ['https://quay.io:8443/', undefined],
    ['https://[fd00::1]/', undefined],
    ['http://localhost:5000/', undefined],
    ['https://127.8.9.1/', undefined],
    ['https://[::1]:5000/', undefined],
  ])('for %s is %s', (url, expected) => expect(proxyFor(new URL(url), settings)).toBe(expected));

  it('is not used where NO_PROXY is *', () => {
    expect(proxyFor(new URL('https://a/'), { httpsProxy: 'http://p', noProxy: '*' })).toBeUndefined();
    expect(isLoopback('example.com')).toBe(false);
  });
});

describe('an endpoint', () => {
  const notTls = Object.assign(new Error('no TLS'), { code: 'EPROTO' });
  const find = async (registry: string, settings: object, responses: Readonly<Record<string, number | Error>>) => {
    const asked: string[] = [];
    const { origin } = await findEndpoint(
      registry,
      settings,
      async (url) => {
        asked.push(url.protocol);
        const status = responses[url.protocol];
        if (typeof status === 'number') return status;
        throw status ?? new Error('no server');
      },
      undefined,
    );
    return { origin, asked };
  };
  it('on another host uses TLS and never plain HTTP', async () => {
    expect(await find('quay.io', {}, {})).toEqual({ origin: 'https://quay.io', asked: [] });
    expect(await find('docker.io', {}, {})).toEqual({ origin: 'https://registry-1.docker.io', asked: [] });
    expect(await find('quay.io', { isPlainHttp: true }, {})).toEqual({ origin: 'http://quay.io', asked: [] });
  });

  it('on loopback may use plain HTTP, and TLS is detected', async () => {
    expect(await find('localhost:5000', {}, { 'http:': 401 })).toMatchObject({ origin: 'http://localhost:5000' });
    expect(await find('127.0.0.1:5000', {}, { 'http:': 400, 'https:': 200 })).toMatchObject({
      origin: 'https://127.0.0.1:5000',
    });
  });

  it('whose certificate is not verified is tried with TLS first', async () => {
    expect(await find('r.example', { isInsecure: true }, { 'https:': 200 })).toMatchObject({
      origin: 'https://r.example',
    });
    expect(await find('r.example', { isInsecure: true }, { 'https:': notTls, 'http:': 200 })).toEqual({
      origin: 'http://r.example',
      asked: ['https:', 'http:'],
    });
  });
});

describe('a redactor', () => {
  it('removes known secrets, plain and URL-encoded, and what looks like a header', () => {
    const redactor = createRedactor();
    redactor.add('s3cret/x', undefined, 'abc');
    expect(redactor.clean('a s3cret/x b s3cret%2Fx abc Bearer eyJhbGciOi.x.y')).toBe(
      'a [redacted] b [redacted] abc Bearer [redacted]',
    );
  });
});

describe('a ring of buffers', () => {
  it('returns every byte once and in order, at any speed of both sides', () => {
    const steps = fc.array(
      fc.oneof(fc.record({ put: fc.integer({ min: 1, max: 40 }) }), fc.constant('take' as const)),
      {
        maxLength: 200,
      },
    );
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 4 }), (sequence, slots) => {
        const ring = new PieceRing(slots, 16, 4);
        let [written, read] = [0, 0];
        const take = () => {
          const piece = ring.take();
          for (const byte of piece ?? []) expect(byte).toBe(read++ % 251);
          return piece !== undefined;
        };
        for (const step of sequence) {
          if (step === 'take') take();
          else {
            for (let left = step.put; left > 0 && !ring.isFull; ) {
              const room = ring.room();
              const count = Math.min(room.length, left);
              for (let i = 0; i < count; i++) room[i] = written++ % 251;
              ring.filled(count);
              left -= count;
            }
          }
        }
        while (take());
        expect(read).toBe(written);
        expect(ring.isFull).toBe(false);
      }),
    );
  });
});
