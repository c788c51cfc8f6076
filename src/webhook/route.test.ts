import { describe, expect, it } from 'vitest';
import { createRouter } from './route.ts';

const validate = { path: 'validate', review: () => ({}) };
const routeOf = createRouter([validate], 10_000);

describe('the URL of a review', () => {
  it.each([
    ['/validate', '', 10_000],
    ['/validate/fail?timeout=7s', 'fail', 7_000],
    ['/validate/fail/policy/default/x?a=b&timeout=30s', 'fail/policy/default/x', 30_000],
    ['/validate/fail/policy/caf%C3%A9', 'fail/policy/café', 10_000],
    ['/validate/fail?timeout=soon', 'fail', 10_000],
    ['/validate/timeout=7s', 'timeout=7s', 10_000],
  ])('%s says who is asked, about what and for how long', (url, route, timeoutMs) => {
    expect(routeOf(url)).toEqual({ reviewer: validate, route, timeoutMs });
    expect(routeOf(url)).toBe(routeOf(url));
  });

  it.each(['', '/', '/nobody/fail', '/validate/%E0%A4%A'])('%j has no reviewer', (url) => {
    expect(routeOf(url).reviewer).toBeUndefined();
  });

  it('is cached up to a limit', () => {
    const first = routeOf('/validate/0');
    for (let i = 1; i <= 1_000; i++) routeOf(`/validate/${i}`);
    expect(routeOf('/validate/0')).not.toBe(first);
    expect(routeOf('/validate/0')).toEqual(first);
  });
});
