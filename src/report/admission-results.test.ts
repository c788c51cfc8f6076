import { describe, expect, it } from 'vitest';
import { createFakeClock } from '../../test/support/fake-clock.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy } from '../policy/index.ts';
import type { LivePolicies } from '../runtime/index.ts';
import { AdmissionResults, type AdmittedResults } from './admission-results.ts';
import { hashBody } from './body-hash.ts';
import type { KindWatch, SeenObject } from './kind-watch.ts';
import { headOf } from './result.ts';
import { ResultIndex } from './result-index.ts';

const { program } = compilePolicy({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'policy' },
  spec: {
    background: false,
    rules: [
      {
        name: 'rule',
        match: { any: [{ resources: { kinds: ['Pod'] } }] },
        validate: { message: 'no', pattern: { metadata: { labels: { app: '?*' } } } },
      },
    ],
  },
});
const form = (app: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', namespace: 'shop', uid: 'u', labels: { app } },
});
/** Of a request that stores this form in the place of a version. */
const admitted = (app: string, replaces?: string): AdmittedResults => ({
  uid: 'u',
  group: '',
  kind: 'Pod',
  key: 'shop/web',
  body: hashBody(form(app)),
  replaces,
  contents: [
    { head: headOf(program!, 'rule'), result: 'fail', message: app, properties: '{}', process: 'admission' as const },
  ],
});

function setUp() {
  const clock = createFakeClock();
  const index = new ResultIndex({ isSplit: true, nowSeconds: () => 0, onChange: () => {} });
  let seen: Partial<SeenObject> | undefined;
  const watch = {
    type: { group: '', version: 'v1', resource: 'pods', kind: 'Pod', namespaced: true },
    informer: { get: () => seen },
    resources: new Map(),
  } as unknown as KindWatch;
  const policies = { current: { get: () => program } } as unknown as LivePolicies;
  const state = { watches: new Map([['v1/pods', watch]]), controllers: undefined };
  const results = new AdmissionResults({ policies, index, state, clock });
  return {
    clock,
    results,
    store(app: string, version: string) {
      seen = { uid: 'u', version, namespace: 'shop', body: hashBody(form(app)) };
      results.seen(watch, 'shop/web');
    },
    said: () => [...index.allParts()].flatMap((part) => [...index.resultsOf(part)].map(({ message }) => message)),
  };
}

describe('results of admission', () => {
  it('count once the object is seen in the form that was evaluated', () => {
    const { results, store, said } = setUp();
    results.take(admitted('a', '4'));
    store('before', '4');
    expect([results.isWaitingFor('u'), said()]).toEqual([true, []]);
    store('a', '5');
    expect([results.isWaitingFor('u'), said()]).toEqual([false, ['a']]);
  });

  it.each([
    ['a new object', ''],
    ['a changed one', '4'],
  ])('of %s are not waited for after a later version was seen', (_, replaces) => {
    const { results, store, said } = setUp();
    results.take(admitted('a', replaces));
    store('b', '6');
    expect([results.isWaitingFor('u'), said()]).toEqual([false, []]);
    // Whether they come before the object is seen or after.
    results.take(admitted('a', replaces));
    expect([results.isWaitingFor('u'), said()]).toEqual([false, []]);
  });

  it('are waited for until a timeout when the request did not tell what it replaces', async () => {
    const { clock, results, store } = setUp();
    results.take(admitted('a'));
    store('b', '6');
    expect(results.isWaitingFor('u')).toBe(true);
    await clock.advance(60_000);
    expect(results.isWaitingFor('u')).toBe(false);
  });

  it('of an older request do not replace those of a newer one', () => {
    const { results, store, said } = setUp();
    results.take(admitted('b', '5'));
    results.take(admitted('a', '4'));
    results.take(admitted('new', ''));
    store('a', '5');
    store('b', '6');
    expect(said()).toEqual(['b']);
  });
});
