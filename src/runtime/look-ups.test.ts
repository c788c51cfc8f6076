import { expect, test } from 'vitest';
import { silentLogger, systemClock } from '../base/index.ts';
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
