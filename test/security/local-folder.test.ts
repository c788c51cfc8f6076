import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startLocal } from '../../src/app/local.ts';
import { silentLogger } from '../../src/base/index.ts';
import { runCli } from '../../src/cli/index.ts';

/** What another user of the machine can leave in the temporary folder. */
describe('a folder that another user made in the temporary folder', () => {
  let dir: string;
  let folder: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'local-user-'));
    folder = join(dir, `supercargo-${userInfo().username}`);
    mkdirSync(join(dir, 'bin'));
    const program = `#!/bin/sh\nprintf '%s' "$KUBECONFIG" > '${join(dir, 'used')}'\n`;
    writeFileSync(join(dir, 'bin', 'kubectl'), program, { mode: 0o755 });
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  const kubectl = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) => {
    let output = '';
    const stream = { write: (text: string) => (output += text) };
    const code = await runCli(
      ['kubectl', ...args],
      {
        env: { PATH: `${join(dir, 'bin')}:/usr/bin:/bin`, ...more },
        stdout: stream,
        stderr: stream,
        temporaryDir: dir,
        signal: new AbortController().signal,
        uptimeMs: () => 0,
      },
      'test',
    );
    return { code, output };
  };
  const plant = () => {
    mkdirSync(folder);
    chmodSync(folder, 0o777);
    writeFileSync(join(folder, 'kubeconfig'), 'users: [{ user: { exec: { command: /tmp/evil } } }]');
  };

  it('gives kubectl no kubeconfig, and so no program to run', async () => {
    plant();
    const { code, output } = await kubectl(['get', 'pods', '--server-side']);
    expect(existsSync(join(dir, 'used'))).toBe(false);
    expect(output).toContain(`${folder} is open to other users`);
    expect(code).toBe(2);
  });

  it('does not matter if a kubeconfig is named', async () => {
    plant();
    await kubectl(['get', 'pods'], { KUBECONFIG: '/own/kubeconfig' });
    expect(readFileSync(join(dir, 'used'), 'utf8')).toBe('/own/kubeconfig');
  });

  it('gets no token of a cluster that is started, nor does a link decide what is overwritten', async () => {
    const precious = join(dir, 'precious');
    writeFileSync(precious, 'precious');
    const options = { env: {}, temporaryDir: dir, simulation: false, log: silentLogger };
    plant();
    await expect(startLocal(options)).rejects.toThrow('is open to other users');
    rmSync(folder, { recursive: true });
    mkdirSync(folder, { mode: 0o700 });
    symlinkSync(precious, join(folder, 'kubeconfig'));
    const cluster = await startLocal(options);
    await cluster.stop();
    expect(readFileSync(precious, 'utf8')).toBe('precious');
  });
});
