// Stores the compiled code of interactive commands: each runs once, on a small input.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { Agent, request as httpsRequest } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { load, loadAll } from 'js-yaml';

const pod = `
apiVersion: v1
kind: Pod
metadata: { name: web, namespace: default, labels: { app.kubernetes.io/name: web } }
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
    const env = { KEEP: 'new', TMPDIR: folder, XDG_RUNTIME_DIR: folder };
    await run(['up', '--no-demo', '-o', 'json'], env, ({ kubeconfig }) => usePolicies(kubeconfig, policies));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** With work, that is done when the command has printed that it is ready, and then the command is stopped. */
async function run(args, env = {}, work = undefined) {
  const child = spawn(process.execPath, [join('scripts', 'keep-compiled-code.cjs'), ...args], {
    stdio: ['ignore', work === undefined ? 'ignore' : 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ...env },
  });
  let complaint = '';
  child.stderr.on('data', (text) => {
    complaint += text;
  });
  const ended = new Promise((done, failed) => child.once('error', failed).once('close', done));
  if (work) {
    try {
      const ready = await readyLine(child);
      if (ready) await work(ready);
    } finally {
      child.kill('SIGTERM');
    }
  }
  const code = await ended;
  // A failing policy is a normal result; a usage error is a bug of this script.
  if (code !== 0 && code !== 1) throw new Error(`supercargo ${args.join(' ')} ended with ${code}: ${complaint}`);
}

/** Undefined if the command ends before. */
function readyLine({ stdout }) {
  return new Promise((found) => {
    const lines = createInterface({ input: stdout });
    lines.on('line', (line) => {
      const message = JSON.parse(line);
      if (message.event === 'ready') found(message);
    });
    lines.once('close', () => found(undefined));
  });
}

/**
 * Writes policies to the cluster until they are in force, and a Pod that they are asked about: what a start alone does not
 * run, such as their check and their status, would be compiled while the first hundred are written.
 */
async function usePolicies(kubeconfig, files) {
  const request = requestsTo(load(readFileSync(kubeconfig, 'utf8')));
  const policies = files.flatMap((file) => loadAll(readFileSync(file, 'utf8')).filter(Boolean));
  const path = '/apis/kyverno.io/v1/clusterpolicies';
  const isReady = ({ status }) => status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True');
  for (const policy of policies) await until(async () => (await request('POST', path, policy)).status === 201);
  await until(async () => (await request('GET', path)).body.items.every(isReady));
  await until(async () => (await request('POST', '/api/v1/namespaces/default/pods', load(pod))).status < 500);
}

function requestsTo({ clusters: [{ cluster }], users: [{ user }] }) {
  const agent = new Agent({ keepAlive: true, ca: Buffer.from(cluster['certificate-authority-data'], 'base64') });
  const headers = { authorization: `Bearer ${user.token}`, 'content-type': 'application/json' };
  return (method, path, object) =>
    new Promise((done, failed) => {
      const sent = httpsRequest(`${cluster.server}${path}`, { method, agent, headers }, async (answer) => {
        const text = Buffer.concat(await answer.toArray()).toString();
        done({ status: answer.statusCode, body: text.startsWith('{') ? JSON.parse(text) : {} });
      });
      sent.once('error', failed).end(object && JSON.stringify(object));
    });
}

/** What is not served yet is tried again. */
async function until(isDone) {
  for (const endMs = Date.now() + 60_000; !(await isDone()); await sleep(20))
    if (Date.now() > endMs) throw new Error('the cluster does not take policies');
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
