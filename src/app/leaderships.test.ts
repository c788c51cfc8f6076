import { expect, it } from 'vitest';
import { identityOf } from './leaderships.ts';

it('a restarted container recognises the Leases of its pod by UID, and of no other pod', () => {
  const pod = { POD_NAME: 'supercargo-0', POD_UID: '11' };
  const before = identityOf(pod).identity;
  const { identity, predecessors } = identityOf(pod);
  const isPredecessor = (holder: string) => holder.startsWith(predecessors!);
  expect(identity).not.toBe(before);
  expect(isPredecessor(before)).toBe(true);
  expect(isPredecessor(identityOf({ ...pod, POD_UID: '1' }).identity)).toBe(false);
  expect(isPredecessor(identityOf({ ...pod, POD_UID: '111' }).identity)).toBe(false);
  expect(isPredecessor(identityOf({ ...pod, POD_NAME: 'other' }).identity)).toBe(false);
});

it('without a pod UID a process recognises no Lease as its own: two processes can share a host', () => {
  expect(identityOf({}).predecessors).toBeUndefined();
  expect(identityOf({ POD_NAME: 'a' }).identity).toMatch(/^a_[0-9a-f]{8}$/);
});
