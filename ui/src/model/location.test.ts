import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hrefOfImage, parsePlace, pickParams, renderPlace, withParams } from './location.ts';

const parse = (href: string) => {
  const { pathname, search } = new URL(href, 'http://localhost/');
  return parsePlace(pathname, search);
};

describe('the URL of a place', () => {
  it('is readable', () => {
    expect(hrefOfImage('ghcr.io/team/web:1.4.2')).toBe('/images/ghcr.io/team/web:1.4.2');
    expect(hrefOfImage('ghcr.io/team/web@sha256:ab12')).toBe('/images/ghcr.io/team/web@sha256:ab12');
    expect(renderPlace({ view: 'images', params: { registry: 'ghcr.io,quay.io', q: 'web api' } })).toBe(
      '/images?registry=ghcr.io,quay.io&q=web%20api',
    );
  });

  it('leads back to the place for any image and any filter', () => {
    const string = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(string, string, (image, q) => {
        const { view, image: found, params } = parse(hrefOfImage(image, { q }));
        expect([view, found, params['q']]).toEqual(['image', image, q]);
      }),
    );
  });

  it('puts an image that a browser would read as a path into the query', () => {
    for (const image of ['../../api/session', 'a//b', '.', `${'x'.repeat(10_000)}`]) {
      expect(hrefOfImage(image)).toMatch(/^\/images\?id=/);
      expect(parse(hrefOfImage(image)).image).toBe(image);
    }
  });

  it('knows the views, and what is none of them', () => {
    expect(parse('/').view).toBe('overview');
    expect(parse('/copies?state=failed')).toMatchObject({ view: 'copies', params: { state: 'failed' } });
    expect(parse('/nope').view).toBe('missing');
    expect(parsePlace('/images/%ff', '').view).toBe('missing');
    expect(parse('/images?constructor=a&__proto__=b').params).toMatchObject({ constructor: 'a' });
  });

  it('changes parameters and removes empty ones', () => {
    const place = withParams(parse('/images?q=web&ns=shop'), { ns: undefined, copy: 'failed' });
    expect(renderPlace(place)).toBe('/images?q=web&copy=failed');
    expect(`${pickParams(place.params, ['copy', 'ns'])}`).toBe('copy=failed');
  });
});
