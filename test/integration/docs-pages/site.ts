/** The cluster, registry and folder that the pages assume. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createRegistryClient } from '../../../src/registry/index.ts';
import { startEmbedded } from '../../support/embedded-cluster.ts';
import { runTool } from '../../support/kubectl.ts';
import { runProgram, startProgram, supercargo } from '../../support/program.ts';
import { pushImage } from '../../support/push-image.ts';
import { createShell, type Shell } from '../../support/shell.ts';

export const root = path.join(import.meta.dirname, '../../..');
const files = path.join(import.meta.dirname, 'files');

export interface SiteTools {
  readonly bash: string;
  readonly kubectl: string;
  readonly helm: string;
}

export interface PageFolder {
  readonly path: string;
  /** A shell in the folder, with a kubeconfig or without. */
  shell(isOutsideCluster: boolean): Shell;
}

export interface Site {
  /** The text of a page with the registry of the site in place of those that the page names. */
  localize(text: string): string;
  /** Output of a command as the page would show it. */
  generalize(text: string): string;
  folderFor(page: string): Promise<PageFolder>;
  stop(): Promise<void>;
}

/** Pages that install into a cluster have one of their own. */
const writesCluster = new Set(['docs/detection.md', 'docs/mirroring.md']);

const images = [
  'team-a/web:v1.0.0',
  'webapp/frontend:dev-v1.2.0',
  'your-org/web:v1.2.0',
  'library/nginx:1.27',
  'quay/prometheus/prometheus:v3.1.0',
  'supercargo/supercargo:test',
];

export async function startSite(tools: SiteTools): Promise<Site> {
  const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-pages-'));
  const bin = path.join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, target] of Object.entries({ ...tools, supercargo })) symlinkSync(target, path.join(bin, name));
  const up = await startProgram(['up', '--no-demo', '-o', 'json']);
  const { kubeconfig, registry } = up.ready;
  const stops: (() => Promise<unknown>)[] = [() => up.stop()];

  const localize = (text: string) =>
    text
      .replaceAll(/(?<![\w/])nginx:1\.27/g, `${registry}/library/nginx:1.27`)
      .replaceAll('docker.io/backup', `${registry}/backup`)
      .replaceAll('quay.io/', `${registry}/quay/`)
      .replaceAll(/registry\.example|ghcr\.io/g, registry);
  const copyFiles = (from: string, to: string) => {
    cpSync(from, to, { recursive: true });
    for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' }).filter((file) => /\.\w+$/.test(file))) {
      const file = path.join(to, name);
      writeFileSync(file, localize(readFileSync(file, 'utf8')));
    }
  };
  const common = path.join(folder, 'common');
  copyFiles(files, common);
  copyFiles(path.join(root, 'examples'), path.join(common, 'examples'));
  symlinkSync(path.join(root, 'bin'), path.join(common, 'bin'));

  const kubectl = async (config: string, ...args: readonly string[]) => {
    const { exitCode, stderr } = await runTool(tools.kubectl, ['--kubeconfig', config, ...args]);
    if (exitCode !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
  };
  const fill = async (config: string) => {
    await kubectl(config, 'create', 'namespace', 'shop');
    await kubectl(config, 'apply', '-f', path.join(common, 'manifests'));
  };
  const client = createRegistryClient();
  for (const image of images) await pushImage(client, `${registry}/${image}`);
  await client.close();
  await fill(kubeconfig);
  await kubectl(kubeconfig, 'apply', '-f', path.join(common, 'cluster.yaml'), '-f', path.join(common, 'policies'));
  const install = ['install', '--apply', '--wait', '--image', `${registry}/supercargo/supercargo:test`];
  const installed = await runProgram([...install, '--kubeconfig', kubeconfig]);
  if (installed.exitCode !== 0) throw new Error(installed.stderr);

  const clusterFor = async (page: string) => {
    if (!writesCluster.has(page)) return kubeconfig;
    const cluster = await startEmbedded({ simulation: { jobDurationMs: 50, podStartMs: 10, podStopMs: 10 } });
    stops.push(() => cluster.stop());
    await fill(cluster.kubeconfigPath);
    return cluster.kubeconfigPath;
  };

  return {
    localize,
    generalize: (text) => text.replaceAll(registry, 'registry.example'),
    async folderFor(page) {
      const own = mkdtempSync(path.join(folder, 'page-'));
      const [cwd, home] = [path.join(own, 'work'), path.join(own, 'home')];
      cpSync(common, cwd, { recursive: true, verbatimSymlinks: true });
      // A checkout of what is deployed, beside the folder.
      for (const dir of [home, path.join(own, 'manifests')]) mkdirSync(dir);
      if (page === 'docs/detection.md') {
        cpSync(path.join(cwd, 'image-policy.yaml'), path.join(cwd, 'policy.yaml'));
        cpSync(path.join(root, 'manifests'), path.join(cwd, 'manifests'), { recursive: true });
      }
      const env = {
        PATH: `${bin}:${path.dirname(process.execPath)}:/usr/bin:/bin`,
        ...{ HOME: home, TMPDIR: home, GITHUB_STEP_SUMMARY: path.join(own, 'summary.md') },
      };
      const config = await clusterFor(page);
      return {
        path: cwd,
        shell: (isOutsideCluster) =>
          createShell({ bash: tools.bash, cwd, env: isOutsideCluster ? env : { ...env, KUBECONFIG: config } }),
      };
    },
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
