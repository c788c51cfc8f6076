import { expect, it } from 'vitest';
import { type Role, RoleCredentials } from './role-credentials.ts';

const role: Role = { region: 'eu-west-1', roleArn: 'arn:aws:iam::1:role/scan' };

function setUp(lifeMs = 3_600_000) {
  let nowMs = 0;
  let calls = 0;
  const credentials = new RoleCredentials(
    async () => {
      if (calls++ === 99) throw new Error('denied');
      return { accessKeyId: `key-${calls}`, secretAccessKey: 's', expiration: new Date(nowMs + lifeMs) };
    },
    { now: () => nowMs },
  );
  return {
    credentials,
    count: () => calls,
    failNext: () => {
      calls = 99;
    },
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

it('assumes a role once for many scans, and again before its keys expire', async () => {
  const { credentials, count, pass } = setUp();
  for (let i = 0; i < 10; i++) expect((await credentials.get(role)).accessKeyId).toBe('key-1');
  pass(3_400_000);
  expect((await credentials.get(role)).accessKeyId).toBe('key-2');
  expect(count()).toBe(2);
});

it('separates roles and keys', async () => {
  const { credentials, count } = setUp();
  await credentials.get(role);
  await credentials.get({ ...role, roleArn: 'arn:aws:iam::2:role/scan' });
  await credentials.get({ ...role, keys: { accessKeyId: 'a', secretAccessKey: 'b' } });
  expect(count()).toBe(3);
});

it('requests again after a failure, and for keys that were dropped', async () => {
  const { credentials, failNext } = setUp();
  failNext();
  await expect(credentials.get(role)).rejects.toThrow('denied');
  expect((await credentials.get(role)).accessKeyId).toBe('key-101');
  credentials.forget(role);
  expect((await credentials.get(role)).accessKeyId).toBe('key-102');
});
