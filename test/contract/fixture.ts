import { afterAll, beforeAll, expect } from 'vitest';
import { type Answer, type Body, createHttpClient, type HttpClient, type WatchStream } from '../support/http-client.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';

export type Target = Cluster;

/** What the tests of every area share: one running API server and names that no other test uses. */
export interface Fixture {
  readonly api: HttpClient;
  readonly target: Target;
  unique(prefix: string): string;
  /** A new namespace in which pods may be created. It stays: the whole server is thrown away. */
  namespace(labels?: Readonly<Record<string, string>>): Promise<string>;
  /** A watch that is closed, at the latest, before the server stops. */
  watch(path: string, headers?: Readonly<Record<string, string>>): Promise<WatchStream>;
  /** Registers what must be closed before the server stops. Tests run concurrently, so nothing ends with one of them. */
  atEnd(close: () => void | Promise<void>): void;
}

export function createFixture(start: () => Promise<Target>): Fixture {
  let running: { target: Target; api: HttpClient } | undefined;
  let counter = 0;
  const closers: (() => void | Promise<void>)[] = [];
  const current = () => {
    if (!running) throw new Error('the target is not running');
    return running;
  };
  beforeAll(async () => {
    const target = await start();
    running = { target, api: createHttpClient(target) };
  }, 120_000);
  afterAll(async () => {
    for (const close of closers) await close();
    await running?.api.close();
    await running?.target.stop();
  }, 60_000);

  const unique = (prefix: string) => `${prefix}-${++counter}`;
  return {
    get api() {
      return current().api;
    },
    get target() {
      return current().target;
    },
    unique,
    async namespace(labels = {}) {
      const { api } = current();
      const name = unique('contract');
      await expectCode(api.post('/api/v1/namespaces', { metadata: { name, labels } }), 201);
      await eventually(() => expectCode(api.get(`/api/v1/namespaces/${name}/serviceaccounts/default`), 200));
      return name;
    },
    async watch(path, headers = {}) {
      const stream = await current().api.watch(path, headers);
      closers.push(() => stream.close());
      return stream;
    },
    atEnd(close) {
      closers.push(close);
    },
  };
}

/** The body of an answer that must have the given code; a failure shows the body. */
export async function expectCode(answer: Answer | Promise<Answer>, code: number): Promise<Body> {
  const { status, text, body } = await answer;
  if (status !== code) expect.fail(`expected ${code}, got ${status}: ${text.slice(0, 1000)}`);
  return body;
}

/** The whole Status of a refused request, after checking what every Status has. */
export async function expectFailure(answer: Answer | Promise<Answer>, code: number, reason: string): Promise<Body> {
  const body = await expectCode(answer, code);
  expect(body).toMatchObject({ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code, reason });
  return body;
}

/** The names of a list's items, in its order. */
export const namesOf = (list: Body): readonly string[] => list.items.map((item) => item.metadata.name);
