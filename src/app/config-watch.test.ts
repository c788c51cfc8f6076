import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createRecordingLogger } from '../../test/support/recording-logger.ts';
import { eventually } from '../../test/support/wait.ts';
import { systemClock } from '../base/index.ts';
import type { Config } from './config.ts';
import { loadConfig } from './config-load.ts';
import { describeSettings } from './config-settings.ts';
import { createConfigWatch, reloadableSettings } from './config-watch.ts';

describe('a watched configuration', () => {
  let folder: string;
  let version = 0;
  let stop: AbortController;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'config-watch-'));
    stop = new AbortController();
  });
  afterEach(() => {
    stop.abort();
    rmSync(folder, { recursive: true });
  });

  /** As the kubelet does: a folder for each version, and a link to it that is replaced at once. */
  const mount = (text: string): string => {
    const data = `..version-${++version}`;
    mkdirSync(join(folder, data));
    writeFileSync(join(folder, data, 'supercargo.yaml'), text);
    symlinkSync(data, join(folder, '..data-new'));
    renameSync(join(folder, '..data-new'), join(folder, '..data'));
    if (version === 1) symlinkSync(join('..data', 'supercargo.yaml'), join(folder, 'supercargo.yaml'));
    return join(folder, 'supercargo.yaml');
  };

  const start = (text: string) => {
    version = 0;
    const path = mount(text);
    const load = () => loadConfig(path, { flags: { features: ['admission'] } });
    const log = createRecordingLogger();
    const taken: Config[] = [];
    const reload = createConfigWatch({ path, loaded: load(), load, clock: systemClock, log, intervalMs: 5 });
    reload.subscribe((config) => taken.push(config));
    const running = reload.runnable.run(stop.signal);
    return { taken, log, running };
  };

  it('takes over the settings that can be, after the swap of a mounted ConfigMap', async () => {
    const { taken, log } = start('logLevel: info\n');
    mount('logLevel: debug\nadmission: { omitEvents: [] }\n');
    await eventually(() => expect(taken).toHaveLength(1));
    expect(taken[0]).toMatchObject({ logLevel: 'debug', features: ['admission'], admission: { omitEvents: [] } });
    expect(log.lines).toEqual([
      {
        level: 'info',
        message: 'the configuration was reloaded',
        fields: { settings: ['logLevel', 'admission.omitEvents'] },
      },
    ]);
  });

  it('names the changes that need a restart', async () => {
    const { taken, log } = start('logLevel: info\n');
    mount('logLevel: info\nserver: { port: 9999 }\n');
    await eventually(() =>
      expect(log.lines).toEqual([
        {
          level: 'warn',
          message: 'a change of the configuration needs a restart',
          fields: { settings: ['server.port'] },
        },
      ]),
    );
    expect(taken).toEqual([]);
  });

  it('keeps what it has while the file is invalid, and takes the next valid one', async () => {
    const { taken, log } = start('logLevel: info\n');
    mount('logLevel: loud\n');
    await eventually(() =>
      expect(log.lines.map(({ message }) => message)).toEqual(['the changed configuration is not used']),
    );
    expect(taken).toEqual([]);
    mount('logLevel: warn\n');
    await eventually(() => expect(taken.map(({ logLevel }) => logLevel)).toEqual(['warn']));
  });

  it('stops with its signal', async () => {
    const { running } = start('');
    stop.abort();
    await expect(running).resolves.toBeUndefined();
  });

  it('knows the settings that it takes over', () => {
    const known = new Set(describeSettings().map(({ path }) => path.join('.')));
    expect(reloadableSettings.filter((key) => !known.has(key))).toEqual([]);
  });
});
