import { expect, it } from 'vitest';
import { packUid, packVersion, unpackVersion } from './packed.ts';

it('keeps uids apart, whatever form they have', () => {
  const uids = [
    '8c1f7c1e-4a68-4a0e-9d0a-000000000001',
    '8c1f7c1e-4a68-4a0e-9d0a-000000000002',
    '8C1F7C1E-4A68-4A0E-9D0A-000000000001',
    'shop/web',
    '12345678',
    '',
  ];
  const packed = uids.map(packUid);
  packed.push(packUid(packed[0]!));
  expect(new Set(packed).size).toBe(uids.length + 1);
  expect(packUid(uids[0]!)).toBe(packed[0]);
  expect(packed[0]).toHaveLength(8);
});

it('gives every resourceVersion back as it was', () => {
  const versions = ['', '0', '1', '007', '4294967296', '999999999999999', '9007199254740993', 'abc', '1e3', '-1'];
  expect(versions.map((version) => unpackVersion(packVersion(version)))).toEqual(versions);
});
