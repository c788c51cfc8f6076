import { expect, it } from 'vitest';
import { createLookUpResolver } from './fake-cluster.ts';

it('a projection of a given global context entry is one of its fields', () => {
  const resolve = createLookUpResolver({
    objects: [],
    scopes: {} as never,
    resolvesCalls: false,
    globalContext: new Map([['g', { p: 1 }]]),
  });
  const asked = { kind: 'globalContext', name: 'g', asLibrary: true } as const;
  expect(resolve(asked)).toEqual({ ok: true, value: { p: 1 } });
  expect(resolve({ ...asked, projection: 'p' })).toEqual({ ok: true, value: 1 });
  expect(resolve({ ...asked, projection: 'q' })).toMatchObject({
    ok: false,
    message: expect.stringContaining('projection "q" not found'),
  });
  expect(resolve({ ...asked, name: 'h', projection: 'p' })).toEqual({ ok: true, value: null });
});
