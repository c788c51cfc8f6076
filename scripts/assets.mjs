// Finds or builds the binaries of a real cluster: etcd, the control plane, and the programs of a node. As a program it
// prints their directory, or exits with 3 and one line with the reason.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const moduleDirectory = fileURLToPath(new URL('../test/assets/', import.meta.url));
const required = ['etcd', 'kube-apiserver'];
const all = [...required, 'kube-controller-manager', 'kube-scheduler', 'kube-proxy', 'kubelet'];
const buildAttempts = 4;
const signals = ['SIGINT', 'SIGTERM'];
const networkFailure =
  /dial tcp|i\/o timeout|TLS handshake|connection (reset|refused)|unexpected EOF|no such host|50[0-9] |429 /;

export class AssetsUnavailable extends Error {
  name = 'AssetsUnavailable';
}

/**
 * The directory of the binaries: KUBEBUILDER_ASSETS if set (where only etcd and kube-apiserver are required), otherwise
 * the user's cache, otherwise a new build of test/assets into that cache, which takes minutes. Throws AssetsUnavailable.
 */
export async function resolveAssets({ env = process.env, build = true, log = () => {} } = {}) {
  const given = env.KUBEBUILDER_ASSETS;
  if (given) {
    const missing = required.filter((name) => !existsSync(path.join(given, name)));
    if (missing.length > 0) throw new AssetsUnavailable(`KUBEBUILDER_ASSETS=${given} lacks ${missing.join(' and ')}`);
    return given;
  }
  const source = readSource();
  const directory = path.join(cacheRoot(env), `kube-${source.version}-${source.hash}`);
  if (isComplete(directory)) return directory;
  if (!build) throw new AssetsUnavailable(`no control plane in ${directory}; node scripts/assets.mjs builds it`);
  if (spawnSync('go', ['version'], { stdio: 'ignore' }).status !== 0)
    throw new AssetsUnavailable('no control plane: set KUBEBUILDER_ASSETS, or put go on PATH so that it can be built');
  return withLock(`${directory}.lock`, log, async () => {
    if (!isComplete(directory)) await buildInto(directory, source.version, log);
    return directory;
  });
}

/** The Kubernetes version that test/assets builds, `1.36.3`. */
export const kubernetesVersion = () => readSource().version;

function readSource() {
  const goMod = readFileSync(path.join(moduleDirectory, 'go.mod'), 'utf8');
  const version = /^\s*k8s\.io\/kubernetes v(\S+)$/m.exec(goMod)?.[1];
  if (!version) throw new Error('test/assets/go.mod requires no k8s.io/kubernetes');
  const hash = createHash('sha256')
    .update(goMod)
    .update(readFileSync(path.join(moduleDirectory, 'main.go')));
  return { version, hash: hash.digest('hex').slice(0, 12) };
}

const cacheRoot = (env) => path.join(env.XDG_CACHE_HOME || path.join(homedir(), '.cache'), 'supercargo');

const isComplete = (directory) => all.every((name) => existsSync(path.join(directory, name)));

async function buildInto(directory, version, log) {
  const scratch = `${directory}.${process.pid}`;
  mkdirSync(scratch, { recursive: true });
  try {
    const binary = path.join(scratch, 'control-plane');
    for (let attempt = 1; ; attempt++) {
      log(`building the control plane of Kubernetes ${version} (attempt ${attempt}; a first build takes minutes)`);
      const { code, output } = await run('go', [
        'build',
        '-trimpath',
        '-ldflags',
        linkFlags(version),
        '-o',
        binary,
        '.',
      ]);
      if (code === 0) break;
      const lastLine = output.trim().split('\n').at(-1) ?? '';
      if (attempt === buildAttempts || !networkFailure.test(output))
        throw new AssetsUnavailable(`go build in test/assets failed: ${lastLine}`);
      log(`retrying: ${lastLine}`);
      await sleep(2000 * 2 ** attempt);
    }
    for (const name of all) link(binary, path.join(scratch, name));
    rmSync(directory, { recursive: true, force: true });
    renameSync(scratch, directory);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function linkFlags(version) {
  const [major, minor] = version.split('.');
  const base = 'k8s.io/component-base/version';
  return [
    '-s -w',
    `-X ${base}.gitVersion=v${version} -X ${base}.gitMajor=${major} -X ${base}.gitMinor=${minor}`,
    `-X k8s.io/client-go/pkg/version.gitVersion=v${version}`,
  ].join(' ');
}

function link(target, name) {
  try {
    linkSync(target, name);
  } catch (error) {
    // Some file systems have no hard links; a name relative to its own directory survives the rename.
    if (error.code !== 'EPERM' && error.code !== 'ENOTSUP' && error.code !== 'EMLINK') throw error;
    symlinkSync(path.basename(target), name);
  }
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: moduleDirectory,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, GOWORK: 'off' },
    });
    let output = '';
    const collect = (chunk) => {
      output = (output + chunk).slice(-20_000);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    // A signal to this program also ends the build; the lock and the scratch directory are then cleaned up normally.
    const stop = () => child.kill('SIGTERM');
    for (const signal of signals) process.once(signal, stop);
    child.on('error', reject);
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, stop);
      resolve({ code, output: signal ? `${output}\nstopped by ${signal}` : output });
    });
  });
}

/** One builder at a time; the lock of a dead process is taken over. */
async function withLock(file, log, action) {
  mkdirSync(path.dirname(file), { recursive: true });
  for (let announced = false; ; await sleep(500)) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const owner = readOwner(file);
    if (owner !== undefined && !isAlive(owner)) rmSync(file, { force: true });
    else if (!announced) {
      announced = true;
      log(`waiting for another build (process ${owner ?? 'unknown'})`);
    }
  }
  try {
    return await action();
  } finally {
    rmSync(file, { force: true });
  }
}

function readOwner(file) {
  try {
    return Number.parseInt(readFileSync(file, 'utf8'), 10) || undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await resolveAssets({ log: (line) => console.error(line) }));
  } catch (error) {
    if (!(error instanceof AssetsUnavailable)) throw error;
    console.error(error.message);
    process.exitCode = 3;
  }
}
