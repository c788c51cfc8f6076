import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, createHttpClient, type HttpClient } from '../support/http-client.ts';
import { eventually } from '../support/wait.ts';
import { type Program, type ProgramOptions, readyLine, startSupercargo } from './program.ts';

let dir: string;
let program: Program | undefined;
const clients: HttpClient[] = [];

beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'supercargo-restart-'));
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  await program?.end('SIGKILL');
  rmSync(dir, { recursive: true, force: true });
});

const launch = (options?: ProgramOptions) =>
  (program = startSupercargo(
    ['up', '--dir', dir, '--no-demo', '--no-simulation', '--features', 'none', '-o', 'json'],
    options,
  ));

async function up(options?: ProgramOptions): Promise<HttpClient> {
  const { server } = await launch(options).until(readyLine, 30_000);
  const caPem = readFileSync(path.join(dir, 'pki', 'ca.crt'), 'utf8');
  const token = readFileSync(path.join(dir, 'pki', 'token'), 'utf8').trim();
  const client = createHttpClient({ url: server, caPem, token });
  clients.push(client);
  return client;
}

async function done(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body, text } = await answer;
  if (status >= 300) throw new Error(`${status}: ${text}`);
  return body;
}

const maps = '/api/v1/namespaces/default/configmaps';
const widgets = '/apis/example.com/v1/namespaces/default/widgets';

describe('a cluster that was killed', () => {
  it('still knows its custom kinds and their objects', { timeout: 60_000 }, async () => {
    let api = await up();
    const schema = { openAPIV3Schema: { type: 'object', properties: { size: { type: 'integer', default: 3 } } } };
    await done(
      api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
        metadata: { name: 'widgets.example.com' },
        spec: {
          group: 'example.com',
          scope: 'Namespaced',
          names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
          versions: [{ name: 'v1', served: true, storage: true, schema }],
        },
      }),
    );
    const widget = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'a' }, unknown: true };
    const made = await eventually(() => done(api.post(widgets, widget)));
    await program!.end('SIGKILL');
    api = await up();
    expect(await done(api.get(`${widgets}/a`))).toEqual(made);
    expect(made).toMatchObject({ size: 3 });
    expect(made).not.toHaveProperty('unknown');
    expect((await api.post(widgets, { ...widget, metadata: { name: 'b' }, size: 'big' })).status).toBe(422);
  });

  it('goes on with the deletions it had promised', { timeout: 60_000 }, async () => {
    let api = await up();
    const owner = await done(api.post(maps, { metadata: { name: 'owner' } }));
    const { name, uid } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid }];
    await Promise.all(
      Array.from({ length: 40 }, (_, i) => done(api.post(maps, { metadata: { name: `owned-${i}`, ownerReferences } }))),
    );
    await done(api.post('/api/v1/namespaces', { metadata: { name: 'doomed' } }));
    await done(
      api.post('/api/v1/namespaces/doomed/configmaps', { metadata: { name: 'a', finalizers: ['example.com/x'] } }),
    );
    await Promise.all([done(api.delete('/api/v1/namespaces/doomed')), done(api.delete(`${maps}/owner`))]);
    await program!.end('SIGKILL');
    api = await up();
    await eventually(async () => {
      const { items } = await done(api.get(maps));
      expect(items.filter(({ metadata }) => metadata.name.startsWith('owned-'))).toEqual([]);
    });
    const finalized = '/api/v1/namespaces/doomed/configmaps/a';
    await eventually(async () => expect((await done(api.get(finalized))).metadata.deletionTimestamp).toBeDefined());
    await done(api.patch(finalized, { metadata: { finalizers: null } }, 'merge'));
    await eventually(async () => expect((await api.get('/api/v1/namespaces/doomed')).status).toBe(404));
  });
});

describe('a folder that cannot be used', () => {
  const refusal = async (): Promise<string> => {
    const refused = launch();
    expect(await refused.ended).toBe(2);
    const lines = refused.output.trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    return lines[0]!;
  };

  it('is refused in one line that names the broken record', { timeout: 60_000 }, async () => {
    await up();
    await program!.end();
    const log = path.join(dir, 'state', 'log-0.jsonl');
    appendFileSync(log, 'not a record\n');
    const line = readFileSync(log, 'utf8').split('\n').length - 1;
    expect(await refusal()).toContain(`supercargo: ${log}:${line}: not a record`);
  });

  it('is refused in one line while another process uses it', { timeout: 60_000 }, async () => {
    await up();
    const first = program!;
    expect(await refusal()).toBe(
      `supercargo: ${path.join(dir, 'state')} is in use by process ${first.pid}; stop that one, or name another directory`,
    );
    await first.end();
  });

  it('is refused in one line when a file is in its place', { timeout: 60_000 }, async () => {
    writeFileSync(path.join(dir, 'state'), '');
    expect(await refusal()).toContain(path.join(dir, 'state'));
  });
});

// A limit on the size of files fails a write as a full disk does, in the middle of a record.
describe.skipIf(!existsSync('/bin/sh') || process.platform !== 'linux')('a full disk (needs Linux)', () => {
  it('fails writes with a Status, serves reads, and loses nothing that it acknowledged', {
    timeout: 60_000,
  }, async () => {
    let api = await up({ before: 'ulimit -f 300' });
    const acknowledged: string[] = [];
    let refused: Answer | undefined;
    for (let i = 0; refused === undefined && i < 500; i++) {
      const answer = await api.post(maps, { metadata: { name: `map-${i}` }, data: { text: 'é'.repeat(1_000 + i) } });
      if (answer.status === 201) acknowledged.push(`map-${i}`);
      else refused = answer;
    }
    expect(refused?.body).toMatchObject({ kind: 'Status', status: 'Failure', code: 500, reason: 'InternalError' });
    expect(refused?.body.message).toContain('cannot write to');
    expect(acknowledged.length).toBeGreaterThan(10);
    // A smaller change may still fit; then it counts.
    const patched = await api.patch(`${maps}/map-0`, { data: { more: 'x' } }, 'merge');
    const namesOf = async () =>
      (await done(api.get(maps))).items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith('map-'));
    expect((await namesOf()).sort()).toEqual([...acknowledged].sort());
    await program!.end('SIGKILL');
    api = await up();
    expect((await namesOf()).sort()).toEqual([...acknowledged].sort());
    expect((await done(api.get(`${maps}/map-0`))).data['more']).toBe(patched.status === 200 ? 'x' : undefined);
    await done(api.post(maps, { metadata: { name: 'after' } }));
  });
});
