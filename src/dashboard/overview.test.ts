import { describe, expect, it } from 'vitest';
import { Cargo } from './cargo.ts';
import { createVisibleImages } from './images-query.ts';
import { overviewOf } from './overview.ts';
import { seesAll, Visibility } from './visibility.ts';

const nowMs = Date.parse('2026-01-01T12:00:00Z');
const event = (namespace: string, name: string, message: string, at = '2026-01-01T11:59:00Z') => ({
  apiVersion: 'v1',
  kind: 'Pod',
  namespace,
  name,
  type: 'Warning',
  reason: 'PolicyViolation',
  message,
  count: 1,
  at,
});

function namesOf(words: readonly string[], sees = seesAll): readonly (string | undefined)[] {
  const cargo = new Cargo(() => 1);
  cargo.putEvent('a', event('shop', 'web', 'Pod shop/web was Blocked'));
  cargo.putEvent('b', event('team', 'job', 'it is blocked too'));
  cargo.putEvent('c', event('shop', 'old', 'blocked', '2026-01-01T10:00:00Z'));
  const { activity } = overviewOf({ cargo, readVisible: createVisibleImages(cargo), sees, syncRuns: [], nowMs, words });
  expect(activity.total).toBe(activity.items.length);
  return activity.items.map(({ object }) => object?.name).sort();
}

describe('the last hour', () => {
  it('has everything without words, and with words what has all of them, also in the names of its object', () => {
    expect(namesOf([])).toEqual(['job', 'web']);
    expect(namesOf(['blocked'])).toEqual(['job', 'web']);
    expect(namesOf(['shop', 'policyviolation', 'blocked'])).toEqual(['web']);
    expect(namesOf(['team', 'shop'])).toEqual([]);
  });

  it('is searched in what the user may see alone', () => {
    const sees = new Visibility(new Set(), new Map([['events', new Set(['team'])]]));
    expect(namesOf(['blocked'], sees)).toEqual(['job']);
  });
});
