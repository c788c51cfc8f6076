/** A cluster that keeps its state in a folder, when the disk or the history does not play along. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { expectCode, expectFailure, namesOf } from '../contract/fixture.ts';
import { createHttpClient, type HttpClient } from '../support/http-client.ts';
import { type Program, startProgram } from '../support/program.ts';
import { findOnPath } from '../support/search-path.ts';
import { missingOf } from '../support/skip.ts';
import { eventually } from '../support/wait.ts';
import { readTarget } from './cluster.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-disk-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const configMaps = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ metadata: { name, labels: { of: 'test' } }, data: { k: 'x'.repeat(5000) } });

async function start(dir: string): Promise<{ readonly program: Program; readonly api: HttpClient }> {
  const program = await startProgram(['up', '--no-demo', '-o', 'json', '--dir', dir]);
  return { program, api: createHttpClient(readTarget(program.ready.kubeconfig)) };
}

const prlimit = await findOnPath('prlimit');
missingOf('the test on a full disk', { prlimit });

/** As if the disk were full: no file of the process grows beyond so many bytes. Only the soft limit, so it can be lifted. */
const limitFiles = (pid: number, bytes: number | 'unlimited') =>
  execFileSync(prlimit!, [`--pid=${pid}`, `--fsize=${bytes}:`], { stdio: 'pipe' });

const largestFile = (dir: string) =>
  Math.max(
    ...readdirSync(dir, { recursive: true, encoding: 'utf8' }).map((name) => statSync(path.join(dir, name)).size),
  );

it.skipIf(prlimit === undefined)(
  'refuses writes while the disk is full, goes on reading, and writes again when there is room: nothing answered is lost',
  { timeout: 60_000 },
  async () => {
    const dir = path.join(folder, 'full');
    const { program, api } = await start(dir);
    const watch = await api.watch(`${configMaps}?labelSelector=of=test&resourceVersion=0`);
    await expectCode(api.post(configMaps, configMap('before')), 201);
    limitFiles(program.pid, largestFile(dir) + 16_000);

    const written = ['before'];
    const refused = await eventually(async () => {
      const name = `c-${written.length}`;
      const answer = await api.post(configMaps, configMap(name));
      if (answer.status === 201) written.push(name);
      expect(answer.status).not.toBe(201);
      return { name, answer };
    });
    const status = await expectFailure(refused.answer, 500, 'InternalError');
    expect(status.message).toContain('EFBIG');
    expect((await api.get(`${configMaps}/${refused.name}`)).status).toBe(404);
    // A deletion is a short line, which may have found room.
    limitFiles(program.pid, 1);
    await expectFailure(api.delete(`${configMaps}/before`), 500, 'InternalError');
    await expectCode(api.get(`${configMaps}/before`), 200);

    limitFiles(program.pid, 'unlimited');
    await expectCode(api.post(configMaps, configMap('after')), 201);
    const seen: string[] = [];
    while (seen.at(-1) !== 'after') seen.push((await watch.next()).object.metadata.name);
    expect(seen).toEqual([...written, 'after']);
    watch.close();
    await api.close();
    await program.kill9();

    const again = await start(dir);
    const list = await expectCode(again.api.get(`${configMaps}?labelSelector=of=test`), 200);
    expect([...namesOf(list)].sort()).toEqual([...written, 'after'].sort());
    await again.api.close();
    await again.program.stop();
  },
);

it('answers 410 to a continue token and a watch from before a restart, with a way to continue', {
  timeout: 60_000,
}, async () => {
  const dir = path.join(folder, 'history');
  const first = await start(dir);
  for (const name of ['a', 'b', 'c']) await expectCode(first.api.post(configMaps, configMap(name)), 201);
  const page = await expectCode(first.api.get(`${configMaps}?labelSelector=of=test&limit=1`), 200);
  expect(namesOf(page)).toEqual(['a']);
  await expectCode(first.api.post(configMaps, configMap('d')), 201);
  await first.api.close();
  await first.program.stop();

  const second = await start(dir);
  await expectCode(second.api.post(configMaps, configMap('e')), 201);
  const next = (token: string) =>
    second.api.get(`${configMaps}?labelSelector=of=test&limit=1&continue=${encodeURIComponent(token)}`);
  const gone = await expectFailure(next(page.metadata.continue), 410, 'Expired');
  expect(namesOf(await expectCode(next(gone.metadata.continue), 200))).toEqual(['b']);
  const watch = await second.api.watch(`${configMaps}?resourceVersion=${page.metadata.resourceVersion}`);
  expect(await watch.next()).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
  watch.close();
  await second.api.close();
  await second.program.stop();
});
