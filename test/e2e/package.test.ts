import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseTar } from '../../scripts/image/tar.ts';

/** What `npm pack` writes, unpacked in a folder without node_modules. */
describe('the npm package', { timeout: 120_000 }, () => {
  const root = path.join(import.meta.dirname, '../..');
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-package-'));
  const own = path.join(folder, 'package');
  beforeAll(() => {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    execFileSync(npm, ['pack', '--ignore-scripts', '--silent', '--no-update-notifier', '--pack-destination', folder], {
      cwd: root,
    });
    const [archive] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    for (const entry of parseTar(gunzipSync(readFileSync(path.join(folder, archive!))))) {
      if (entry.type !== 'file') continue;
      const file = path.join(folder, entry.path);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, entry.data, { mode: entry.mode });
    }
  }, 120_000);
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const run = (bin: string, ...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [path.join(own, 'bin', bin), ...args], {
      cwd: own,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'] },
    });
    return { status, stdout, stderr };
  };

  it('carries the documentation, the examples, the chart and the manifests', () => {
    for (const file of [
      'README.md',
      'LICENSE',
      'docs/ci.md',
      'docs/reference/configuration.md',
      'manifests/crds',
      'charts',
    ])
      expect(existsSync(path.join(own, file)), file).toBe(true);
    expect(existsSync(path.join(own, 'src'))).toBe(false);
  });

  it('works outside of the repository', () => {
    const example = 'examples/unique-job-per-image';
    const applied = run('supercargo', 'apply', `${example}/clusterpolicy.yaml`, '-r', `${example}/test-pods.yaml`);
    expect(applied).toMatchObject({ status: 0, stderr: '' });
    expect(run('supercargo', 'install', '--features', 'report')).toMatchObject({ status: 0, stderr: '' });
    expect(run('supercargo', 'config', 'schema').stdout).toContain('"Configuration of Supercargo"');
  });

  it('is a plugin of kubectl, with completion', () => {
    expect(run('kubectl-supercargo', 'version', '--client').stdout).toMatch(/^supercargo \d+\.\d+\.\d+, Node v\d+/);
    expect(run('kubectl_complete-supercargo', 'rep').stdout).toMatch(/^report\t.*\n:4\n$/);
    expect(run('kubectl_complete-supercargo', 'report', '--exit').stdout).toMatch(/^--exit-code\t/);
  });
});
