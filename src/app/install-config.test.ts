import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { readInstallConfig } from './install.ts';
import { checksumOf, keepConfigs, mergeConfig } from './install-config.ts';

const base = 'features:\n- detect\nmirror:\n  registry: a\nnamespace: home\n';

it('takes the new configuration where nobody changed the old one', () => {
  const next = 'features:\n- detect\n- create\nnamespace: home\n';
  expect(mergeConfig(base, base, next)).toEqual({ text: next, kept: [] });
});

it('leaves the text of a user alone where we have nothing to change', () => {
  const live = `# ours\n${base}logLevel: debug # while we look\n`;
  expect(mergeConfig(base, live, base)).toEqual({ text: live, kept: ['logLevel'] });
});

it('merges what both changed, setting by setting, and keeps what the user set', () => {
  const live = 'features:\n- detect\nmirror:\n  registry: mine\n  pin: digest\nnamespace: home\n';
  const next = 'features:\n- detect\n- create\nmirror:\n  registry: b\nnamespace: home\nserver:\n  port: 1\n';
  expect(mergeConfig(base, live, next)).toEqual({
    text: 'features:\n- detect\n- create\nmirror:\n  pin: digest\n  registry: mine\nnamespace: home\nserver:\n  port: 1\n',
    kept: ['mirror.registry', 'mirror.pin'],
  });
});

it('keeps a setting removed that the user removed', () => {
  const live = 'features:\n- detect\nnamespace: home\n';
  expect(mergeConfig(base, live, `${base}logLevel: info\n`)).toEqual({
    text: 'features:\n- detect\nlogLevel: info\nnamespace: home\n',
    kept: ['mirror'],
  });
});

it('keeps all of a configuration whose origin is not known, or that cannot be read', () => {
  expect(mergeConfig(undefined, 'logLevel: debug\n', 'logLevel: info\nnamespace: home\n')).toEqual({
    text: 'logLevel: debug\nnamespace: home\n',
    kept: ['logLevel'],
  });
  expect(mergeConfig(base, 'a: [', base)).toEqual({ text: 'a: [', kept: ['the whole file'] });
});

it('gives the pods the checksum of what they will read', async () => {
  const metadata = { name: 'x', namespace: 'n' };
  const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { 'config.yaml': base } };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: { template: { metadata: { annotations: {} } } },
  };
  const live = `${base}logLevel: debug\n`;
  const present = {
    ...configMap,
    metadata: { ...metadata, annotations: { 'supercargo.dev/applied-config': base } },
    data: { 'config.yaml': live },
  };
  const { objects, kept } = await keepConfigs([configMap, deployment], async () => present);
  expect(objects).toMatchObject([
    { data: { 'config.yaml': live }, metadata: { annotations: { 'supercargo.dev/applied-config': base } } },
    { spec: { template: { metadata: { annotations: { 'supercargo.dev/config-checksum': checksumOf(live) } } } } },
  ]);
  expect([...kept]).toEqual([['ConfigMap/x', ['logLevel']]]);
});

it('refuses settings that follow from the installation', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-install-config-'));
  const file = path.join(folder, 'config.yaml');
  const read = (text: string) => {
    writeFileSync(file, text);
    return readInstallConfig(file);
  };
  try {
    expect(read('logLevel: debug\nwebhook:\n  maxBodyBytes: 2000000\n')).toMatchObject({ logLevel: 'debug' });
    expect(() => read('namespace: x\n')).toThrow('leave out namespace');
    expect(() => read('webhook:\n  port: 1\ndashboard:\n  host: 0.0.0.0\n')).toThrow(
      'leave out webhook.port, dashboard.host: it follows from the Services of the installation',
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
});
