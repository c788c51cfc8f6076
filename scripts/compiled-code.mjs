// Stores the compiled code of interactive commands: each runs once, on a small input.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: shop, labels: { app.kubernetes.io/name: web } }
spec:
  securityContext: { runAsNonRoot: true, seccompProfile: { type: RuntimeDefault } }
  containers:
    - name: web
      image: registry.example/shop/web:1.2.3
      resources: { requests: { cpu: 100m, memory: 64Mi }, limits: { memory: 64Mi } }
      securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: [ALL] } }
`;

/** Without it the program still works, but starts more slowly. */
export async function keepCompiledCode() {
  const folder = mkdtempSync(join(tmpdir(), 'supercargo-build-'));
  try {
    const resource = join(folder, 'pod.yaml');
    writeFileSync(resource, pod);
    const policies = ['best-practices', 'pod-security'].map((name) =>
      join('bench', 'data', 'policies', `${name}.yaml`),
    );
    await run(['apply', ...policies, '-r', resource]);
    await mirrorSomething(folder);
    await run(['--help'], { KEEP: 'new' });
    await run(['up', '--no-demo', '-o', 'json'], { KEEP: 'new', TMPDIR: folder, XDG_RUNTIME_DIR: folder }, 'ready');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With a text, the command is stopped when it has printed that. */
async function run(args, env = {}, until = undefined) {
  const child = spawn(process.execPath, [join('scripts', 'keep-compiled-code.cjs'), ...args], {
    stdio: ['ignore', until === undefined ? 'ignore' : 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  child.stdout?.on('data', (text) => {
    if (String(text).includes(until)) child.kill('SIGTERM');
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const code = await new Promise((done, failed) => child.once('error', failed).once('close', done));
  // A failing policy is a normal result; a usage error is a bug of this script.
  if (code !== 0 && code !== 1) throw new Error(`supercargo ${args.join(' ')} ended with ${code}: ${complaint}`);
}

async function mirrorSomething(folder) {
  const outfile = join(folder, 'registry.mjs');
  await build({
    entryPoints: ['src/registryserver/index.ts'],
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    logLevel: 'warning',
  });
  const { startRegistryServer } = await import(pathToFileURL(outfile).href);
  const registries = [];
  try {
    for (const name of ['from', 'to']) registries.push(await startRegistryServer({ folder: join(folder, name) }));
    const [from, to] = registries;
    await push(`${from.url}/v2/shop/web`);
    await run(['mirror', `${from.host}/shop/web:v1`, '--to', to.host]);
  } finally {
    for (const registry of registries) await registry.stop();
  }
}

async function push(repository) {
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const digestOf = (text) => `sha256:${createHash('sha256').update(text).digest('hex')}`;
  const blobs = ['{}', 'a layer'].map((text) => ({ text, digest: digestOf(text), size: text.length }));
  for (const { text, digest } of blobs)
    await accepted(fetch(`${repository}/blobs/uploads/?digest=${digest}`, { method: 'POST', body: text }));
  const [config, layer] = blobs.map(({ digest, size }) => ({ digest, size }));
  const manifest = {
    schemaVersion: 2,
    mediaType,
    config: { mediaType: 'application/vnd.oci.image.config.v1+json', ...config },
    layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar', ...layer }],
  };
  await accepted(
    fetch(`${repository}/manifests/v1`, {
      method: 'PUT',
      headers: { 'content-type': mediaType },
      body: JSON.stringify(manifest),
    }),
  );
}

async function accepted(response) {
  const { status, url } = await response;
  if (status !== 201) throw new Error(`${url} answered ${status}`);
}
