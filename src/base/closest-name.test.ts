import { describe, expect, it } from 'vitest';
import { closestName } from './closest-name.ts';

describe('the closest name', () => {
  const known = ['namespaceSelector', 'failurePolicy', 'mode', 'pin', 'follow'];

  it('is the one in another case', () => {
    expect(closestName('failurepolicy', known)).toBe('failurePolicy');
  });

  it('is the one with the fewest wrong letters', () => {
    expect(closestName('namespaceSelectr', known)).toBe('namespaceSelector');
    expect(closestName('mod', known)).toBe('mode');
    expect(closestName('folow', known)).toBe('follow');
  });

  it('is none where nothing is close', () => {
    expect(closestName('webhook', known)).toBeUndefined();
    expect(closestName('', known)).toBeUndefined();
    expect(closestName('m'.repeat(1_000_000), known)).toBeUndefined();
  });
});
