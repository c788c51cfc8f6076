import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { pushImage } from '../../test/support/push-image.ts';
import { silentLogger } from '../base/index.ts';
import { createRegistryClient, findMissing } from '../registry/index.ts';
import { startLocalRegistry } from './local-registry.ts';

const dir = mkdtempSync(join(tmpdir(), 'supercargo-local-registry-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));

it('restarts at its address with its images, and at another address only while that one is in use', async () => {
  const log = silentLogger;
  const client = createRegistryClient();
  const first = await startLocalRegistry({ dir, log });
  const digest = await pushImage(client, `${first.host}/team/app:1`);
  const id = `${first.host}/team/app@${digest}`;
  expect(first.imageId(`${first.host}/team/app:1`)).toBe(id);
  expect(first.imageId(id)).toBe(id);
  for (const other of [`${first.host}/team/app`, `${first.host}/TEAM/app:1`, 'team/app:1', ''])
    expect(first.imageId(other)).toBeUndefined();
  await first.stop();
  const second = await startLocalRegistry({ dir, log });
  expect(second.host).toBe(first.host);
  expect(await findMissing(client, { registry: second.host, path: 'team/app' }, '1' as never)).toEqual([]);
  await second.stop();
  const port = Number(first.host.split(':')[1]);
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(port, '127.0.0.1', resolve));
  const third = await startLocalRegistry({ dir, log });
  expect(third.host).not.toBe(first.host);
  await third.stop();
  await new Promise((resolve) => squatter.close(resolve));
  const fourth = await startLocalRegistry({ dir, log });
  expect(fourth.host).toBe(first.host);
  await fourth.stop();
  await client.close();
});
