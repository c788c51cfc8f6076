import { describe, expect, it } from 'vitest';
import { kindOf } from './index.ts';

describe('the kind of a selector', () => {
  it.each([
    ['Pod', 'Pod'],
    ['Pod.status', 'Pod'],
    ['Pod/exec', 'Pod'],
    ['v1/Pod', 'Pod'],
    ['v1/Pod.status', 'Pod'],
    ['v1/Pod/status', 'Pod'],
    ['*/Pod', 'Pod'],
    ['apps/v1/Deployment', 'Deployment'],
    ['apps/v1/Deployment/scale', 'Deployment'],
    ['apps/v1beta1/Deployment.scale', 'Deployment'],
    ['*/*', '*'],
    ['a/b/c/d/e', ''],
  ])('%s is %s', (selector, kind) => {
    expect(kindOf(selector)).toBe(kind);
  });
});
