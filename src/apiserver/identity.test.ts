import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { loadIdentity } from './identity.ts';

const now = Date.parse('2026-01-01T00:00:00Z');
const hosts = ['127.0.0.1', 'localhost'];
let parent: string;
let dir: string;
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'supercargo-identity-'));
  dir = join(parent, 'pki');
});
afterEach(() => rmSync(parent, { recursive: true, force: true }));

it('is the same every time from one directory, readable only by the owner', () => {
  const first = loadIdentity(dir, hosts, now);
  const second = loadIdentity(dir, hosts, now);
  expect([second.authority, second.token]).toEqual([first.authority, first.token]);
  for (const name of ['ca.key', 'ca.crt', 'token']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
});

it('is new every time without a directory', () => {
  expect(loadIdentity(undefined, hosts, now).token).not.toBe(loadIdentity(undefined, hosts, now).token);
});

it('has a certificate for its hosts, signed by its authority', () => {
  const { authority, certificate } = loadIdentity(dir, hosts, now);
  const leaf = new X509Certificate(certificate.certPem);
  const ca = new X509Certificate(authority.certPem);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect(leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(leaf.checkHost('localhost')).toBe('localhost');
});

it.each(['ca.key', 'ca.crt', 'token'])('is created again as a whole when %s is incomplete', (name) => {
  const first = loadIdentity(dir, hosts, now);
  writeFileSync(join(dir, name), '');
  const second = loadIdentity(dir, hosts, now);
  expect(second.token).not.toBe(first.token);
  expect(
    new X509Certificate(second.certificate.certPem).verify(new X509Certificate(second.authority.certPem).publicKey),
  ).toBe(true);
  expect(readFileSync(join(dir, 'token'), 'utf8')).toBe(second.token);
});
