/** The commands of docs/install.md, run one after the other as a newcomer does. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmbedded } from '../support/embedded-cluster.ts';
import { helmPath, kubectlPath } from '../support/kubectl.ts';
import { supercargo } from '../support/program.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { findOnPath } from '../support/search-path.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(path.join(root, 'docs/install.md'), 'utf8');
const blocks = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands]) => commands!);
const [helm, kubectl, bash] = await Promise.all([helmPath(), kubectlPath(), findOnPath('bash')]);
if (bash === undefined)
  process.stderr.write('the commands of docs/install.md are not run: there is no bash on the PATH\n');
const hasTools = helm !== undefined && kubectl !== undefined && bash !== undefined;

describe.skipIf(!hasTools)('the commands of docs/install.md', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-install-page-'));
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } });
    for (const [name, target] of Object.entries({ helm, kubectl, supercargo }))
      symlinkSync(target!, path.join(folder, name));
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (commands: string) =>
    new Promise<{ readonly code: unknown; readonly stdout: string; readonly stderr: string }>((resolve) => {
      const env = {
        PATH: `${folder}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
        HOME: folder,
        KUBECONFIG: cluster.kubeconfigPath,
      };
      execFile(bash!, ['-euo', 'pipefail', '-c', commands], { cwd: root, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  it('work in the order of the page', async () => {
    const outputs: string[] = [];
    for (const commands of blocks) {
      const { code, stdout, stderr } = await run(commands);
      expect(code, `${commands}\n${stderr}`).toBe(0);
      outputs.push(stdout);
    }
    const [checked, installed, policy, , uninstalled, applied, removed] = outputs;
    expect(checked).toMatch(/^RESULT +CHECK +FOUND\npass +api-server/);
    expect(installed).toMatch(/^supercargo-automation +2\/2[\s\S]*^supercargo-policies +2\/2/m);
    expect(policy).toMatch(/^require-owner/m);
    expect(uninstalled).toMatch(/^require-owner/m);
    expect(applied).toContain('deployment/images-automation ready');
    expect(removed).toMatch(/^namespace\/images removed$/m);
  });
});
