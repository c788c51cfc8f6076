/** docs/install.md, as a newcomer follows it. */
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { codeBlocksOf } from '../support/code-blocks.ts';
import { supercargo } from '../support/program.ts';
import { createShell } from '../support/shell.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = codeBlocksOf('docs/install.md');

/** What the page shows below a command, without the head of the table. */
export const samples = page.filter(({ language }) => language === '').map(({ text }) => text.trim().split('\n'));

export interface InstallPageOptions {
  readonly tools: { readonly helm: string; readonly kubectl: string; readonly bash: string };
  readonly kubeconfigPath: string;
  readonly registry: string;
  /** Is given each block before it is run; an empty one is not. */
  readonly prepare: (commands: string) => string | Promise<string>;
}

/** Runs the blocks in the order of the page; answers what each printed, by its first line. */
export async function followInstallPage(options: InstallPageOptions): Promise<ReadonlyMap<string, string>> {
  const { tools, kubeconfigPath, registry, prepare } = options;
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-install-page-'));
  for (const [name, target] of Object.entries({ ...tools, supercargo })) symlinkSync(target, path.join(folder, name));
  const env = {
    PATH: `${folder}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
    // The packages of the image are in the user's cache.
    XDG_CACHE_HOME: process.env['XDG_CACHE_HOME'] ?? path.join(process.env['HOME'] ?? folder, '.cache'),
    npm_config_update_notifier: 'false',
    ...{ HOME: folder, KUBECONFIG: kubeconfigPath, REGISTRY: registry },
  };
  const shell = createShell({ bash: tools.bash, cwd: root, env });
  const outputs = new Map<string, string>();
  try {
    for (const { language, text, line } of page) {
      const commands = language === 'sh' ? await prepare(text) : '';
      if (commands.trim() === '') continue;
      const { code, output } = await shell.run(commands);
      expect({ code, output }, `docs/install.md:${line}: ${commands}`).toMatchObject({ code: 0 });
      outputs.set(commands.split('\n')[0]!, output);
    }
  } finally {
    shell.close();
    rmSync(folder, { recursive: true, force: true });
  }
  return outputs;
}

/** The page did what it says. */
export function expectInstalled(outputs: ReadonlyMap<string, string>): void {
  const after = (start: string) => [...outputs].find(([line]) => line.startsWith(start))?.[1];
  expect(after('supercargo check --features')).toMatch(/^RESULT +CHECK +FOUND\npass +api-server/m);
  expect(after('helm install')).toMatch(/^supercargo-automation +2\/2[\s\S]*^supercargo-policies +2\/2/m);
  expect(after('kubectl apply')).toMatch(/^require-owner +0 +1 +0 +0 +0$/m);
  expect(after('helm uninstall')).toMatch(/^require-owner/m);
  expect(after('supercargo install')).toContain('deployment/images-automation ready');
  expect(after('supercargo uninstall')).toMatch(/^namespace\/images removed$/m);
}
