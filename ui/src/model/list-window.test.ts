import { describe, expect, it } from 'vitest';
import { listWindow, scrollTo } from './list-window.ts';
import { nearestPages, neighbourPages, pagesOf } from './pages.ts';

describe('the rows of a long list', () => {
  it('renders those in sight and a margin on both sides', () => {
    expect(listWindow({ scrolled: 0, height: 400 }, 40, 20_000, 5)).toEqual({ first: 0, end: 15 });
    expect(listWindow({ scrolled: 4010, height: 400 }, 40, 20_000, 5)).toEqual({ first: 95, end: 116 });
    expect(listWindow({ scrolled: 799_600, height: 400 }, 40, 20_000, 5)).toEqual({ first: 19_985, end: 20_000 });
  });

  it('renders nothing beyond a list that has become shorter', () => {
    expect(listWindow({ scrolled: 4000, height: 400 }, 40, 3, 5)).toEqual({ first: 3, end: 3 });
  });

  it('scrolls just far enough to show a row', () => {
    const viewport = { scrolled: 400, height: 400 };
    expect([5, 10, 19, 20].map((row) => scrollTo(row, viewport, 40))).toEqual([200, undefined, undefined, 440]);
  });

  it('loads the pages that hold the rows in sight', () => {
    expect(pagesOf({ first: 190, end: 230 }, 200, 20_000)).toEqual([0, 1]);
    expect(pagesOf({ first: 400, end: 430 }, 200, 405)).toEqual([2]);
    expect(pagesOf({ first: 0, end: 30 }, 200, 0)).toEqual([]);
  });

  it('loads the next page before it comes into sight', () => {
    const options = { pageSize: 200, count: 20_000, reserve: 150 };
    expect(neighbourPages({ first: 0, end: 40 }, options)).toEqual([0]);
    expect(neighbourPages({ first: 40, end: 80 }, options)).toEqual([0, 1, 0]);
    expect(neighbourPages({ first: 300, end: 340 }, options)).toEqual([1, 2, 1, 0]);
    expect(neighbourPages({ first: 160, end: 199 }, { ...options, count: 200 })).toEqual([0, 0]);
    expect(neighbourPages({ first: 0, end: 0 }, { ...options, count: 0 })).toEqual([]);
  });

  it('keeps the pages nearest to what is shown', () => {
    expect(nearestPages([0, 1, 2, 50, 51, 52], 51, 3).sort((a, b) => a - b)).toEqual([50, 51, 52]);
  });
});
