/** Copies through registries that fail: each ends right, or fails clearly and leaves nothing half done. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf, type Repository, type Tag } from '../../src/image/index.ts';
import {
  type CopyEvent,
  type CredentialSource,
  combineSources,
  createCopier,
  createRegistryClient,
  findMissing,
  type RegistryClientOptions,
  staticSource,
} from '../../src/registry/index.ts';
import { type RegistryServer, startRegistryServer } from '../../src/registryserver/index.ts';
import {
  type FaultRegistry,
  type RegistryFault,
  type SeenRequest,
  startFaultRegistry,
} from '../support/fault-registry.ts';
import { createRecordingLogger } from '../support/recording-logger.ts';
import { type ImageParts, layerBytes, pushImage } from '../support/registry-images.ts';
import { seeded } from './random.ts';

const layerSize = 3_000_000;
const layers = [layerBytes(layerSize), layerBytes(layerSize / 2)];
const isLayerGet = ({ method, url }: SeenRequest) => method === 'GET' && url.includes('/blobs/sha256:');
const isLayerPut = ({ method, headers }: SeenRequest) =>
  method === 'PUT' && Number(headers['content-length']) > 100_000;

describe('a copy', { timeout: 60_000 }, () => {
  let source: RegistryServer;
  let target: RegistryServer;
  let image: ImageParts;
  let counter = 0;
  const open: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    [source, target] = await Promise.all([startRegistryServer(), startRegistryServer()]);
    const client = createRegistryClient();
    image = await pushImage(client, { registry: source.host, path: 'app' }, 'v1', { layers });
    await client.close();
  });
  afterAll(async () => {
    for (const close of open.reverse()) await close();
    await source?.stop();
    await target?.stop();
  });

  const front = async (
    upstream: RegistryServer,
    options: Omit<Parameters<typeof startFaultRegistry>[0], 'upstream'>,
  ) => {
    const registry = await startFaultRegistry({ upstream: upstream.host, ...options });
    open.push(() => registry.stop());
    return registry;
  };
  /** Hands out each fault once, to the first requests that fit. */
  const once = (fits: (request: SeenRequest) => boolean, ...faults: readonly RegistryFault[]) => {
    const left = [...faults];
    return (request: SeenRequest) => (fits(request) ? left.shift() : undefined);
  };
  const plain = { attempts: 6, retryBaseMs: 1, retryMaxMs: 10, idleTimeoutMs: 5000 };
  const copy = async (
    ends: { readonly from?: FaultRegistry; readonly to?: FaultRegistry },
    options: RegistryClientOptions & {
      readonly signal?: AbortSignal;
      readonly onEvent?: (event: CopyEvent) => void;
    } = {},
  ) => {
    const client = createRegistryClient({ ...plain, ...options });
    open.push(() => client.close());
    const path = `copy-${++counter}`;
    const copier = createCopier(client);
    const done = copier.copy({
      source: { registry: (ends.from ?? source).host, path: 'app', tag: 'v1' as Tag },
      target: { registry: (ends.to ?? target).host, path, tag: 'v1' as Tag },
      signal: options.signal,
      ...(options.onEvent ? { onEvent: options.onEvent } : {}),
    });
    return { done, home: { registry: target.host, path } as Repository };
  };
  /** What stands at the target, asked there directly. */
  const stateOf = async (home: Repository) => {
    const client = createRegistryClient(plain);
    try {
      const head = await client.headManifest(home, 'v1' as Tag);
      return { digest: head?.digest, missing: head ? await findMissing(client, home, head.digest) : [] };
    } finally {
      await client.close();
    }
  };
  const whole = () => ({ digest: image.digest, missing: [] });

  it('whose downloads are cut goes on by range, and asks for no byte twice', async () => {
    const cuts: RegistryFault[] = [700_000, 1_000_000, 0, 65_536].map((afterBytes) => ({
      kind: 'cut-answer',
      afterBytes,
    }));
    const from = await front(source, { fault: once((seen) => isLayerGet(seen), ...cuts) });
    const resumed: CopyEvent[] = [];
    const { done, home } = await copy(
      { from },
      { onEvent: (event) => event.kind === 'blob-resumed' && resumed.push(event) },
    );
    await done;
    expect(await stateOf(home)).toEqual(whole());
    expect(from.faults).toBe(4);
    // One that is cut before its first byte is asked for again without anybody noticing.
    expect(resumed.length).toBeGreaterThanOrEqual(3);
    expect(from.seen.some(({ headers }) => /^bytes=[1-9]\d+-$/.test(headers.range ?? ''))).toBe(true);
  });

  it('whose uploads are cut goes on where the registry stopped', async () => {
    const to = await front(target, {
      fault: once(isLayerPut, { kind: 'cut-upload', afterBytes: 900_000 }, { kind: 'cut-upload', afterBytes: 300_000 }),
    });
    const { done, home } = await copy({ to });
    await done;
    expect(await stateOf(home)).toEqual(whole());
    const ranges = to.seen.flatMap(({ method, headers }) =>
      method === 'PUT' && headers['content-range'] ? [headers['content-range']] : [],
    );
    expect(ranges.length).toBeGreaterThan(0);
    for (const range of ranges) expect(Number(range.split('-')[0])).toBeGreaterThan(0);
  });

  it('whose upload is forgotten by the registry begins it again', async () => {
    let isFirst = true;
    const fault = (seen: SeenRequest): RegistryFault | undefined => {
      if (isLayerPut(seen) && isFirst) {
        isFirst = false;
        return { kind: 'cut-upload', afterBytes: 400_000 };
      }
      const isState = seen.method === 'GET' && seen.url.includes('/blobs/uploads/');
      return isState ? { kind: 'status', status: 404, body: '{"errors":[{"code":"BLOB_UPLOAD_UNKNOWN"}]}' } : undefined;
    };
    const { done, home } = await copy({ to: await front(target, { fault }) });
    await done;
    expect(await stateOf(home)).toEqual(whole());
  });

  it('survives errors of both servers, and pauses that they ask for', async () => {
    const trouble: RegistryFault[] = [
      { kind: 'status', status: 500 },
      { kind: 'status', status: 429, headers: { 'retry-after': '0' } },
      { kind: 'status', status: 503 },
      { kind: 'status', status: 502, body: '<html>bad gateway</html>' },
    ];
    const [from, to] = [
      await front(source, { fault: once(({ url }) => url.includes('/app/'), ...trouble) }),
      await front(target, { fault: once(({ url }) => url.includes('/copy-'), ...trouble) }),
    ];
    const { done, home } = await copy({ from, to });
    await done;
    expect(await stateOf(home)).toEqual(whole());
    expect(from.faults + to.faults).toBe(8);
  });

  it('gives up at once when it is asked to wait for an hour, and says so', async () => {
    const from = await front(source, {
      fault: ({ url }) =>
        url.includes('/app/')
          ? {
              kind: 'status',
              status: 429,
              headers: { 'retry-after': '3600' },
              body: '{"errors":[{"code":"TOOMANYREQUESTS","message":"pull limit"}]}',
            }
          : undefined,
    });
    const { done, home } = await copy({ from });
    await expect(done).rejects.toMatchObject({
      code: 'registry-throttled',
      status: 429,
      isTemporary: true,
      retry: { afterMs: 3_600_000 },
    });
    expect(from.faults).toBe(1);
    expect(await stateOf(home)).toEqual({ digest: undefined, missing: [] });
  });

  it('takes no wrong byte: once wrong is mended, always wrong fails and leaves no manifest and no blob', async () => {
    const flip: RegistryFault = { kind: 'flip-byte', at: 1_234_567 };
    const isLarge = (seen: SeenRequest) => isLayerGet(seen) && seen.url.endsWith(digestOf(layers[0]!));
    const mended = await copy({ from: await front(source, { fault: once(isLarge, flip) }) });
    await mended.done;
    expect(await stateOf(mended.home)).toEqual(whole());
    const from = await front(source, { fault: (seen) => (isLarge(seen) ? flip : undefined) });
    const failed = await copy({ from });
    await expect(failed.done).rejects.toMatchObject({ code: 'registry-digest-mismatch' });
    await expect(failed.done).rejects.toThrow(`${from.host}/app/blobs/${digestOf(layers[0]!)}`);
    expect(await stateOf(failed.home)).toEqual({ digest: undefined, missing: [] });
    const client = createRegistryClient(plain);
    expect(await client.statBlob(failed.home, digestOf(layers[0]!))).toBeUndefined();
    await client.close();
  });

  it('takes no manifest with other bytes than its digest says', async () => {
    const from = await front(source, {
      fault: ({ method, url }) =>
        method === 'GET' && url.includes('/manifests/') ? { kind: 'flip-byte', at: 20 } : undefined,
    });
    const { done } = await copy({ from });
    await expect(done).rejects.toMatchObject({ code: 'registry-digest-mismatch' });
  });

  it('gets over servers that hang in the middle of a body', async () => {
    const from = await front(source, { fault: once(isLayerGet, { kind: 'hang-answer', afterBytes: 600_000 }) });
    const to = await front(target, { fault: once(isLayerPut, { kind: 'hang-upload', afterBytes: 200_000 }) });
    const { done, home } = await copy({ from, to }, { idleTimeoutMs: 200 });
    await done;
    expect(from.faults + to.faults).toBe(2);
    expect(await stateOf(home)).toEqual(whole());
  });

  it('logs in again when its tokens run out in the middle', async () => {
    const bearer = { username: 'alice', password: 'wonderland-9321' };
    let isFirst = true;
    const from: FaultRegistry = await front(source, { bearer });
    const to: FaultRegistry = await front(target, { bearer });
    const credentials: CredentialSource = combineSources(
      staticSource(from.host, bearer.username, bearer.password, 'test'),
      staticSource(to.host, bearer.username, bearer.password, 'test'),
    );
    const onEvent = (event: CopyEvent) => {
      if (event.kind !== 'blob-found' || !isFirst) return;
      isFirst = false;
      from.expireTokens();
      to.expireTokens();
    };
    const { done, home } = await copy({ from, to }, { credentials, onEvent });
    await done;
    expect(await stateOf(home)).toEqual(whole());
    expect(from.tokens.length).toBeGreaterThan(1);
    expect(to.tokens.length).toBeGreaterThan(1);
  });

  it('tries several credentials for one registry in turn', async () => {
    const bearer = { username: 'carol', password: 'the-right-one' };
    const from = await front(source, { bearer });
    const named = (name: string, password: string) => staticSource(from.host, name, password, `secret ${name}`);
    const right = combineSources(
      named('alice', 'first-wrong'),
      named('bob', 'second-wrong'),
      named('carol', 'the-right-one'),
    );
    const { done, home } = await copy({ from }, { credentials: right });
    await done;
    expect(await stateOf(home)).toEqual(whole());
    const wrong = await copy(
      { from },
      { credentials: combineSources(named('alice', 'first-wrong'), named('bob', 'second-wrong')) },
    );
    await expect(wrong.done).rejects.toMatchObject({
      code: 'registry-unauthorized',
      message: expect.stringContaining('it accepts none of the credentials from secret alice, secret bob'),
    });
  });

  it('follows a redirect to another host without its credentials', async () => {
    const storage = await front(source, {});
    const bearer = { username: 'alice', password: 'wonderland-9321' };
    const from = await front(source, {
      bearer,
      fault: (seen) =>
        isLayerGet(seen)
          ? { kind: 'redirect', to: `http://${storage.host}${seen.url}?signature=not-for-logs` }
          : undefined,
    });
    const { done, home } = await copy(
      { from },
      { credentials: staticSource(from.host, bearer.username, bearer.password, 'test') },
    );
    await done;
    expect(await stateOf(home)).toEqual(whole());
    expect(storage.seen.length).toBeGreaterThan(2);
    for (const { headers } of storage.seen) expect(headers.authorization).toBeUndefined();
  });

  it('keeps passwords and tokens out of everything it says', async () => {
    const [password, username] = ['hunter2-very-secret', 'alice'];
    const secrets = [
      password,
      Buffer.from(`${username}:${password}`).toString('base64'),
      'token-secret',
      'not-for-logs',
    ];
    const produced: unknown[] = [];
    const log = createRecordingLogger();
    const echo = (seen: SeenRequest): RegistryFault => ({
      kind: 'status',
      status: 400,
      body: JSON.stringify({
        errors: [{ code: 'DENIED', message: `bad ${seen.headers.authorization} for ${password}` }],
      }),
    });
    const faults: ((seen: SeenRequest) => RegistryFault | undefined)[] = [
      echo,
      (seen) => (isLayerGet(seen) ? echo(seen) : undefined),
      (seen) =>
        isLayerGet(seen) ? { kind: 'redirect', to: 'http://127.0.0.1:9/x?signature=not-for-logs' } : undefined,
      (seen) => (isLayerGet(seen) ? { kind: 'cut-answer', afterBytes: 10 } : undefined),
    ];
    for (const fault of faults) {
      const from = await front(source, { bearer: { username, password }, fault });
      const credentials = staticSource(from.host, username, password, 'test');
      const { done } = await copy(
        { from },
        { credentials, log, attempts: 2, onEvent: (event) => produced.push(event) },
      );
      produced.push(await done.catch((thrown: unknown) => thrown));
    }
    expect(produced.filter((thing) => thing instanceof Error)).toHaveLength(faults.length);
    const text = [...produced, ...log.lines]
      .map((thing) => `${inspect(thing, { depth: 12 })}\n${JSON.stringify(thing)}`)
      .join('\n');
    expect(text).toContain('[redacted]');
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('ends when it is called off, and puts no manifest', async () => {
    const stopping = new AbortController();
    const onEvent = (event: CopyEvent) => event.kind === 'blob-progress' && stopping.abort();
    const { done, home } = await copy({}, { signal: stopping.signal, onEvent });
    await expect(done).rejects.toMatchObject({ name: 'AbortError' });
    expect(await stateOf(home)).toEqual({ digest: undefined, missing: [] });
  });

  it('under faults by chance is whole or not there', async () => {
    const pickBelow = seeded(20_260);
    const random = () => pickBelow(1_000_000) / 1_000_000;
    const pick = (): RegistryFault | undefined => {
      const afterBytes = Math.floor(random() * 1_500_000);
      const chance = random();
      if (chance < 0.06) return { kind: 'cut-answer', afterBytes };
      if (chance < 0.12) return { kind: 'cut-upload', afterBytes };
      if (chance < 0.16) return { kind: 'status', status: 500 };
      if (chance < 0.19) return { kind: 'status', status: 429, headers: { 'retry-after': '0' } };
      if (chance < 0.21) return { kind: 'flip-byte', at: afterBytes };
      return undefined;
    };
    const outcomes = { whole: 0, failed: 0 };
    for (let round = 0; round < 12; round++) {
      const [from, to] = [await front(source, { fault: pick }), await front(target, { fault: pick })];
      const { done, home } = await copy({ from, to });
      const failure = await done.then(
        () => undefined,
        (thrown: Error) => thrown,
      );
      const state = await stateOf(home);
      expect(state.missing).toEqual([]);
      if (failure === undefined) expect(state.digest).toBe(image.digest);
      else expect(failure).toMatchObject({ name: 'RegistryError' });
      outcomes[failure === undefined ? 'whole' : 'failed']++;
    }
    expect(outcomes.whole).toBeGreaterThan(4);
  });
});
