import { expect, test } from 'vitest';
import { errorMessage, silentLogger, systemClock } from '../base/index.ts';
import type { LookUp } from '../policy/index.ts';
import { createLookUps } from './look-ups.ts';

test('image data for a namespaced policy is read without our credentials', async () => {
  const asked: unknown[] = [];
  const lookUps = createLookUps({
    client: {} as never,
    discovery: {} as never,
    clock: systemClock,
    log: silentLogger,
    imageData: async (_, { credentials }) => void asked.push(credentials),
  });
  const { signal } = new AbortController();
  const image = { kind: 'imageData', reference: 'r.example/x' } as const;
  await lookUps.answer({ ...image, credentials: { secrets: ['ours'] } }, signal);
  await lookUps.answer({ ...image, credentials: { providers: ['amazon'] }, policyNamespace: 'shop' }, signal);
  await lookUps.answer({ ...image, policyNamespace: 'shop' }, signal);
  await expect(
    lookUps.answer({ ...image, credentials: { secrets: ['ours'] }, policyNamespace: 'shop' }, signal),
  ).rejects.toThrow('are not read for a namespaced policy');
  // `none` means no provider: neither secrets nor the identity of our pod are used.
  expect(asked).toEqual([{ secrets: ['ours'] }, { providers: ['none'] }, { providers: ['none'] }]);
});

test('what a policy may not read is refused at once, without reading anything', async () => {
  const lookUps = createLookUps({ client: {} as never, discovery: {} as never, clock: systemClock, log: silentLogger });
  const { signal } = new AbortController();
  const refused: readonly LookUp[] = [
    { kind: 'configMap', namespace: 'bank', name: 'x', policyNamespace: 'shop' },
    { kind: 'apiCall', method: 'GET', urlPath: '/api/v1/namespaces/bank/configmaps/x', policyNamespace: 'shop' },
    { kind: 'serviceCall', method: 'POST', url: 'https://x', headers: {}, dryRun: true },
    { kind: 'globalContext', name: 'x', policyNamespace: 'shop' },
  ];
  for (const lookUp of refused) {
    const message = await lookUps.answer(lookUp, signal).then(undefined, errorMessage);
    expect(message).toBeTypeOf('string');
    expect(() => lookUps.ready(lookUp)).toThrow(message as string);
  }
  expect(lookUps.ready({ kind: 'configMap', namespace: 'shop', name: 'x', policyNamespace: 'shop' })).toBeUndefined();
});
