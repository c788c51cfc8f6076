import { describe, expect, it } from 'vitest';
import { rfc3339, silentLogger, systemClock } from '../base/index.ts';
import type { KubeClient } from '../kube/index.ts';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy } from '../policy/index.ts';
import type { PolicyPosition } from './checkpoint.ts';
import type { WatchPosition } from './position-tracker.ts';
import { createRuleTable } from './rule-table.ts';
import { Scanner } from './scanner.ts';
import { discoveredPods } from './testing/history.ts';

const noon = Date.parse('2030-01-01T12:00:00Z');
const at = (seconds: number) => rfc3339(noon + seconds * 1000);

/** A pod created at one second, optionally written at another. */
function pod(name: string, version: number, created: number, written = created): KubeObject {
  const managedFields = [{ manager: 'kubectl', operation: 'Update' as const, time: at(written) }];
  const metadata = { name, namespace: 'shop', uid: `uid-${name}`, resourceVersion: String(version) };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, creationTimestamp: at(created), managedFields } };
}

function policy(createdAt: number, generation: number, generateExisting: boolean, writtenAt = createdAt) {
  const { program } = compilePolicy(policyObject(createdAt, generation, generateExisting, writtenAt));
  return program!;
}

/** A revision with other rules. The version of its write is known because the status was not written. */
function changedPolicy(generation: number, writtenAt: number, version: number, ruleNames: readonly string[]) {
  const { metadata, spec, ...rest } = policyObject(10, generation, false, writtenAt);
  const managedFields = metadata.managedFields.slice(0, 1);
  const rules = ruleNames.map((name) => ({ ...spec.rules[0]!, name }));
  const object = {
    ...rest,
    metadata: { ...metadata, managedFields, resourceVersion: String(version) },
    spec: { rules },
  };
  return compilePolicy(object).program!;
}

function policyObject(createdAt: number, generation: number, generateExisting: boolean, writtenAt: number) {
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: {
      name: 'p',
      uid: 'uid-p',
      generation,
      resourceVersion: '1',
      creationTimestamp: at(createdAt),
      managedFields: [
        { manager: 'kubectl', operation: 'Update', time: at(writtenAt) },
        { manager: 'supercargo', operation: 'Update', time: at(writtenAt), subresource: 'status' },
      ],
    },
    spec: {
      rules: [
        {
          name: 'r',
          match: { any: [{ resources: { kinds: ['Pod'] } }] },
          generate: { generateExisting, apiVersion: 'v1', kind: 'ConfigMap', name: 'x', namespace: 'y', data: {} },
        },
      ],
    },
  };
}

interface Setting {
  readonly program: ReturnType<typeof policy>;
  readonly objects: readonly KubeObject[];
  readonly observed: WatchPosition | undefined;
  readonly positions?: Map<string, PolicyPosition>;
  readonly sinceMs?: number;
  readonly types?: readonly (typeof discoveredPods)[];
  /** A kind that the server refuses to list. */
  readonly forbidden?: string;
  /** What happens after the first scan. */
  readonly then?: (scanner: Scanner) => void;
}

async function scan({ program, objects, observed, positions = new Map(), sinceMs = 0, ...setting }: Setting) {
  const { types = [discoveredPods], forbidden, then } = setting;
  const found: string[] = [];
  const rulesFor: Record<string, readonly string[]> = {};
  const unfinished: (() => void)[] = [];
  const stop = new AbortController();
  const client = {
    async *pages({ kind }: { readonly kind: string }) {
      if (kind === forbidden) throw new Error('not allowed');
      yield { resourceVersion: '999', items: objects as never };
    },
  } as unknown as Pick<KubeClient, 'pages'>;
  const scanner = new Scanner({
    client,
    table: () => createRuleTable([program], types),
    positions,
    sinceMs,
    installation: 'ours',
    trigger: ({ context, identity, rules = new Set(), done }) => {
      found.push(`${context.operation} ${identity.name}`);
      rulesFor[identity.name] = [...rules];
      unfinished.push(done);
    },
    observed: () => observed,
    room: async () => {},
    onScanned: () => {},
    clock: systemClock,
    log: silentLogger,
  });
  scanner.touch();
  const running = scanner.run(stop.signal);
  await new Promise((resolve) => setImmediate(resolve));
  then?.(scanner);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await running;
  return { found, rulesFor, positions, scanner, finish: () => unfinished.forEach((done) => void done()) };
}

const observedAt = (version: number, seconds: number, ...handled: string[]): WatchPosition => ({
  resourceVersion: String(version),
  timeMs: noon + seconds * 1000,
  handled: handled.map((name) => `uid-${name}`),
});

describe('the existing objects that a policy scans', () => {
  const objects = [
    pod('older', 5, 0),
    pod('missed', 15, 12),
    pod('missed-then-status', 40, 12),
    pod('updated', 16, 0, 13),
    pod('same-second', 45, 20),
    pod('same-second-later', 46, 20),
    pod('live', 50, 30),
    pod('ours', 17, 12),
  ].map((object) =>
    object.metadata.name === 'ours'
      ? { ...object, metadata: { ...object.metadata, labels: { 'supercargo.dev/owner': 'ours' } } }
      : object,
  );
  const observed = observedAt(30, 20, 'same-second');

  it('with generateExisting are all that are older than the policy, even when the kind was last observed long ago', async () => {
    const program = policy(25, 1, true);
    const { found } = await scan({ program, objects, observed: observedAt(3, -100) });
    expect(found.sort()).toEqual(
      ['missed', 'missed-then-status', 'older', 'same-second', 'same-second-later', 'updated'].map(
        (name) => `CREATE ${name}`,
      ),
    );
  });
  const missed = ['CREATE missed', 'CREATE missed-then-status', 'UPDATE updated', 'CREATE same-second'];

  it('are those written between the policy and the moment it became known', async () => {
    const { found } = await scan({ program: policy(10, 1, false), objects, observed });
    expect(found).toEqual(missed);
  });

  it('are all objects with generateExisting', async () => {
    const { found } = await scan({ program: policy(10, 1, true), objects, observed });
    expect(found).toEqual(['older', ...missed.map((line) => line.slice(7))].map((name) => `CREATE ${name}`));
  });

  it('are not older than the installation', async () => {
    const { found } = await scan({ program: policy(10, 1, false), objects, observed, sinceMs: noon + 20_000 });
    expect(found).toEqual(['CREATE same-second']);
  });

  it('are done once all triggers are, and are not scanned again for the same revision', async () => {
    const { found, positions, finish } = await scan({ program: policy(10, 1, false), objects, observed });
    expect(found).toHaveLength(4);
    expect(positions.get('uid-p')).toMatchObject({
      revision: '1',
      since: { r: { timeMs: noon + 10_000 } },
      pending: { 'v1/pods': observed },
    });
    finish();
    expect(positions.get('uid-p')).toEqual({ revision: '1' });
    expect((await scan({ program: policy(10, 1, false), objects, observed, positions })).found).toEqual([]);
    const changed = await scan({ program: policy(10, 2, false, 13), objects, observed, positions });
    expect(changed.found).toEqual(['UPDATE updated', 'CREATE same-second']);
  });

  it('are scanned once, although other policies come while the triggers are processed', async () => {
    const then = (scanner: Scanner) => scanner.touch();
    const { found, positions, finish } = await scan({ program: policy(10, 1, false), objects, observed, then });
    expect(found).toEqual(missed);
    finish();
    expect(positions.get('uid-p')).toEqual({ revision: '1' });
  });

  it('after a restart are the same as before, without later ones', async () => {
    const { positions } = await scan({ program: policy(10, 1, false), objects, observed });
    const later = observedAt(100, 60);
    const { found } = await scan({ program: policy(10, 1, false), objects, observed: later, positions });
    expect(found).toEqual(missed);
  });

  it('do not include writes before a rule was added or renamed, not even within that second', async () => {
    const young = [pod('before', 25, 20), pod('touched-before', 26, 0, 20), pod('after', 35, 20)];
    const positions = new Map([['uid-p', { revision: '1' }]]);
    const program = changedPolicy(2, 20, 30, ['other']);
    const { found } = await scan({ program, objects: young, observed: observedAt(40, 20), positions });
    expect(found).toEqual(['CREATE after']);
  });

  it('do not include objects older than the first generating rule of a policy', async () => {
    const validate = { message: 'no', pattern: { metadata: { name: '?*' } } };
    const { spec, ...rest } = policyObject(10, 1, false, 10);
    const rules = [{ name: 'checks', match: spec.rules[0]!.match, validate }];
    const first = await scan({ program: compilePolicy({ ...rest, spec: { rules } }).program!, objects, observed });
    expect(first.found).toEqual([]);
    const program = changedPolicy(2, 13, 14, ['r']);
    const { found } = await scan({ program, objects, observed, positions: first.positions });
    expect(found).toEqual(['UPDATE updated', 'CREATE same-second']);
  });

  it('start with the change for a new rule, while another rule still scans further back', async () => {
    const young = [pod('missed', 15, 12), pod('before', 25, 20), pod('after', 35, 20)];
    const { found, positions } = await scan({
      program: policy(10, 1, false),
      objects: young,
      observed: observedAt(20, 12),
    });
    expect(found).toEqual(['CREATE missed']);
    const program = changedPolicy(2, 20, 30, ['r', 'other']);
    const { rulesFor } = await scan({ program, objects: young, observed: observedAt(40, 20), positions });
    expect(rulesFor).toEqual({ missed: ['r'], before: ['r'], after: ['r', 'other'] });
  });

  it('do not wait for a kind that cannot be listed', async () => {
    const other = { ...discoveredPods, resource: 'a-secrets', kind: 'Secret', singular: 'secret' };
    const { spec, ...rest } = policyObject(10, 1, false, 10);
    const match = { any: [{ resources: { kinds: ['Secret', 'Pod'] } }] };
    const { program } = compilePolicy({ ...rest, spec: { rules: [{ ...spec.rules[0]!, match }] } });
    const { found } = await scan({
      program: program!,
      objects,
      observed,
      types: [other, discoveredPods],
      forbidden: 'Secret',
    });
    expect(found).toEqual(missed);
  });

  it('are scanned after the first list where the kind was not watched yet', async () => {
    const { found, positions, scanner } = await scan({ program: policy(10, 1, false), objects, observed: undefined });
    expect(found).toEqual([]);
    scanner.firstListed(discoveredPods, observed);
    expect(positions.get('uid-p')?.pending).toEqual({ 'v1/pods': observed });
  });
});
