import { afterAll, beforeAll, expect, it } from 'vitest';
import type { KubeObject } from '../../src/object/index.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { eventually } from '../support/wait.ts';
import { createMirrorFixture, imagesOf, type MirrorFixture, types, workload } from './mirror-fixture.ts';
import { type Pick, seeded } from './random.ts';

export interface RandomOptions {
  readonly seed: number;
  readonly actions: number;
  /** What cannot be pulled of an image, by another client than ours; the program's own when absent. */
  readonly missing?: (fixture: MirrorFixture, reference: string) => Promise<readonly string[]>;
}

/**
 * Random pushes, deletions of copies, outages and changes of workloads; after each, everything that a workload was
 * rewritten to can be pulled, but for what the test itself took away and nobody could have noticed yet.
 */
export function defineMirrorRandom(start: () => Promise<Cluster>, options: RandomOptions): void {
  let fixture: MirrorFixture;
  const missing = (reference: string) => (options.missing ?? ((w, r) => w.missing(r)))(fixture, reference);
  beforeAll(async () => {
    fixture = await createMirrorFixture(start);
  }, 120_000);
  afterAll(() => fixture?.stop());

  it.each(['tag', 'digest'] as const)(
    'never rewrites to what cannot be pulled, by %s',
    async (pin) => {
      const pick = seeded(options.seed);
      const trace: string[] = [];
      const namespace = await fixture.namespace(`random-${pin}`, { random: pin });
      await fixture.run({
        pin,
        follow: true,
        recheck: '1s',
        wait: '2s',
        registry: `${fixture.backup.host}/${pin}`,
        namespaceSelector: { matchLabels: { random: pin } },
      });
      const round = createRound(fixture, { pin, namespace, pick, missing, note: (line) => trace.push(line) });
      try {
        await round.begin();
        for (let i = 0; i < options.actions; i++) {
          await round.act();
          await round.check();
        }
        round.recover();
        await eventually(() => round.settled(), { timeoutMs: 90_000, intervalMs: 300 });
      } catch (thrown) {
        throw new Error(`with seed ${options.seed}:\n${trace.join('\n')}`, { cause: thrown });
      }
      // A test in which nothing was rewritten has shown nothing.
      expect(round.rewritten).toBeGreaterThan(options.actions / 10);
    },
    240_000,
  );
}

interface RoundOptions {
  readonly pin: 'tag' | 'digest';
  readonly namespace: string;
  readonly pick: Pick;
  readonly missing: (reference: string) => Promise<readonly string[]>;
  readonly note: (line: string) => void;
}

const sources = ['shop:1', 'shop:2', 'cart:1', 'pay:1', 'mail:1', 'mail:2'];
const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

function createRound(fixture: MirrorFixture, { pin, namespace, pick, missing, note }: RoundOptions) {
  const { client } = fixture.connection;
  const deployments = types['Deployment']!;
  const at = (image: string) => `${fixture.source.host}/random-${pin}/${image}`;
  const pathOf = (image: string) =>
    `${pin}/${fixture.source.host.replace(':', '_')}/random-${pin}/${image.slice(0, image.indexOf(':'))}`;
  /** Every digest that a source ever had. */
  const pushed = new Map<string, Set<string>>(sources.map((image) => [image, new Set()]));
  /** Repositories and tags that the test emptied; excused until they are seen whole again. */
  const lost = new Set<string>();
  const outages = new Map<'source' | 'backup', () => void>();
  let rewritten = 0;
  const one = <T>(list: readonly T[]) => list[pick(list.length)]!;
  const isCopy = (image: string) => image.startsWith(`${fixture.backup.host}/`);
  const tagOf = (reference: string) => reference.replace(/@.*$/, '');

  const admitted = async (object: KubeObject) => {
    const [image] = imagesOf(object) as [string];
    if (!isCopy(image)) return note(`  ${object.metadata.name} is admitted as it is`);
    rewritten++;
    note(`  ${object.metadata.name} → ${image}`);
    // Nothing else happens meanwhile: what a request was given must be there, whatever was lost before.
    expect(await missing(image)).toEqual([]);
  };
  const deploy = async () => {
    const [name, image] = [one(names), one(sources)];
    note(`deploy ${name} with ${image}`);
    const object = workload('Deployment', namespace, name, at(image));
    const body = { spec: { template: { spec: { containers: [{ name: 'main', image: at(image) }] } } } };
    const patch = () =>
      client.patch<KubeObject>(deployments, { namespace, name }, { type: 'strategic', body }, { fieldManager: 'test' });
    await admitted(await fixture.create(object).catch(patch));
  };
  const push = async (image = one(sources)) => {
    const content = `${image} ${pick(1000)}`;
    note(`push ${image}: ${content}`);
    pushed.get(image)!.add(await fixture.push(`random-${pin}/${image}`, content));
  };
  const remove = async () => {
    const image = one(sources);
    note(`delete the copy of ${image}`);
    const repository = { registry: fixture.backupHost, path: pathOf(image) };
    lost.add(`${fixture.backup.host}/${pathOf(image)}:${image.slice(image.indexOf(':') + 1)}`);
    await fixture.images.deleteManifest(repository, image.slice(image.indexOf(':') + 1) as never);
  };
  const trouble = async () => {
    const side = one(['source', 'backup'] as const);
    let actionsLeft = 1 + pick(3);
    note(`${side} is down`);
    fixture[side].fault = () => ({ kind: 'status', status: 503 });
    outages.set(side, () => {
      if (--actionsLeft > 0) return;
      note(`${side} is up`);
      fixture[side].fault = () => undefined;
      outages.delete(side);
    });
  };
  const actions = [deploy, deploy, deploy, deploy, () => push(), remove, remove, trouble];
  const current = async () => (await client.list<KubeObject>(deployments, { namespace })).items;

  return {
    get rewritten() {
      return rewritten;
    },
    async begin() {
      // One stays to be pushed later.
      for (const image of sources.slice(1)) await push(image);
    },
    async act() {
      for (const pass of [...outages.values()]) pass();
      await one(actions)();
    },
    async check() {
      for (const object of await current()) {
        const [image] = imagesOf(object) as [string];
        if (!isCopy(image)) continue;
        const gone = await missing(image);
        // By digest it stays: its own tag keeps it when the one that everybody knows goes.
        if (gone.length === 0 && pin === 'tag') lost.delete(tagOf(image));
        else if (gone.length > 0 && (pin === 'digest' || !lost.has(tagOf(image))))
          throw new Error(`${object.metadata.name} runs ${image}, of which ${gone.join(', ')} is missing`);
        if (pin === 'digest') {
          const source = sources.find(
            (name) => tagOf(image) === `${fixture.backup.host}/${pathOf(name)}:${name.slice(name.indexOf(':') + 1)}`,
          )!;
          expect([...pushed.get(source)!]).toContain(image.slice(image.indexOf('@') + 1));
        }
      }
    },
    recover() {
      note('all is up again');
      for (const side of ['source', 'backup'] as const) fixture[side].fault = () => undefined;
    },
    /** Every workload whose image exists runs its copy, and every copy is whole. */
    async settled() {
      for (const object of await current()) {
        const [image] = imagesOf(object) as [string];
        const source = sources.find((name) => image === at(name));
        if (source !== undefined) {
          if (pushed.get(source)!.size > 0) throw new Error(`${object.metadata.name} still runs ${image}`);
        } else expect(await missing(image)).toEqual([]);
      }
    },
  };
}
