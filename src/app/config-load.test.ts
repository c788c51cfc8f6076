import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadConfig } from './config-load.ts';

describe('a configuration', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  const file = (text: string): string => {
    const path = join(folder, 'supercargo.yaml');
    writeFileSync(path, text);
    return path;
  };
  const refusal = (text: string, options?: Parameters<typeof loadConfig>[1]): string => {
    try {
      loadConfig(file(text), options);
    } catch (thrown) {
      return (thrown as Error).message;
    }
    throw new Error('was accepted');
  };

  it('has a default for every setting that needs one', () => {
    const { config, settings } = loadConfig(undefined);
    expect(config).toMatchObject({ installation: 'supercargo', logLevel: 'info', logFormat: 'json', features: [] });
    expect(new Set(settings.map(({ from }) => from))).toEqual(new Set(['default']));
  });

  it('tells where each value is from: flags before environment before file before default', () => {
    const path = file('logLevel: warn\nlogFormat: text\nmirror: { registry: file.example, wait: 1s }\n');
    const { config, settings } = loadConfig(path, {
      flags: { logLevel: 'error' },
      env: { LOG_LEVEL: 'debug', LOG_FORMAT: 'JSON', BACKUP_REGISTRY: 'env.example' },
    });
    expect(config).toMatchObject({
      logLevel: 'error',
      logFormat: 'json',
      mirror: { registry: 'env.example', wait: '1s' },
    });
    const of = (key: string) => settings.find((setting) => setting.key === key);
    expect(of('logLevel')).toMatchObject({ value: 'error', from: 'flag', name: '--log-level' });
    expect(of('logFormat')).toMatchObject({ value: 'json', from: 'environment', name: 'LOG_FORMAT' });
    expect(of('mirror.registry')).toMatchObject({ from: 'environment', name: 'BACKUP_REGISTRY' });
    expect(of('mirror.wait')).toMatchObject({ value: '1s', from: 'file' });
    expect(of('mirror.mode')).toMatchObject({ value: 'auto', from: 'default' });
    expect(of('webhook.url')).toMatchObject({ value: undefined, from: 'default' });
  });

  it('counts an empty variable as not set', () => {
    expect(loadConfig(undefined, { env: { LOG_LEVEL: '', BACKUP_REGISTRY: '' } }).config.logLevel).toBe('info');
  });

  it('refuses unknown settings with the one that was meant, at every depth', () => {
    expect(refusal('loglevel: debug\n')).toContain('loglevel: unknown setting; did you mean logLevel?');
    expect(refusal('mirror: { registri: a }\n')).toContain(
      'mirror.registri: unknown setting; did you mean mirror.registry?',
    );
    expect(refusal('registries: [{ host: a, cafile: b }]\n')).toContain('did you mean registries.0.caFile?');
    expect(refusal('mirror: { namespaceSelector: { matchLabel: {} } }\n')).toContain(
      'did you mean mirror.namespaceSelector.matchLabels?',
    );
    const unlike = refusal('something: 1\n');
    expect(unlike).toContain('something: unknown setting');
    expect(unlike).not.toContain('did you mean');
  });

  it('names all mistakes in one message', () => {
    const message = refusal('logLevel: loud\nserver: { port: http }\nmirror: { wait: soon }\n');
    expect(message).toContain('logLevel: must be one of debug, info, warn, error, silent');
    expect(message).toContain('server.port: ');
    expect(message).toContain('mirror.wait: must be a duration such as 15s');
  });

  it('names the variable that is wrong, not the setting', () => {
    expect(refusal('', { env: { LOG_LEVEL: 'loud' } })).toContain('LOG_LEVEL must be one of debug, info, warn');
  });

  it('refuses a map where a variable sets a value below it', () => {
    expect(refusal('mirror: none\n', { env: { BACKUP_REGISTRY: 'a.example' } })).toContain('mirror: ');
    expect(refusal('- a\n')).toContain('a configuration is a map of settings');
  });

  it('keeps keys of a prototype as what they are', () => {
    expect(refusal('__proto__: { logLevel: debug }\n')).toContain('__proto__');
    expect(refusal('constructor: 1\n')).toContain('constructor: unknown setting');
  });
});
