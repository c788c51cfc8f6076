import { expect, it } from 'vitest';
import { ship, shipDefinition, shipNames } from './objects.ts';
import type { Kubectl, Session } from './session.ts';

export function defineCustomResources(session: Session): void {
  /** Every test has a group of its own: definitions belong to the whole cluster. */
  const prepare = async (): Promise<{ readonly k: Kubectl; readonly group: string; readonly ships: string }> => {
    const k = await session.inNamespace();
    const group = `${session.unique('fleet')}.test`;
    expect(await k.apply(shipDefinition(group))).toBe(
      `customresourcedefinition.apiextensions.k8s.io/ships.${group} created\n`,
    );
    await k.ok(`wait --for=condition=Established crd/ships.${group} --timeout=60s`);
    return { k, group, ships: `ships.${group}` };
  };

  it('prints custom resources with their own columns, by every name they have', async () => {
    const { k, group, ships } = await prepare();
    expect(await k.apply(ship(group, 'pequod'))).toBe(`ship.${group}/pequod created\n`);
    expect(await k.ok(`get ${ships}`)).toMatch(/^NAME +MASTS +PORT +AGE\npequod +3 +\d+s\n$/);
    expect(await k.ok(`get ${ships} -o wide`)).toMatch(/^NAME +MASTS +PORT +CAPTAIN +AGE\npequod +3 +ahab +\d+s\n$/);
    expect(await k.ok(`get ship.v1.${group} pequod -o name`)).toBe(`ship.${group}/pequod\n`);
    const { shortNames, categories } = shipNames(group);
    for (const name of [...shortNames, ...categories])
      expect(await k.ok(`get ${name} -o name`)).toBe(`ship.${group}/pequod\n`);
    expect(await k.ok(`describe ${ships} pequod`)).toMatch(
      /^API Version: +fleet-\d+\.test\/v1\nKind: +Ship\n[\s\S]*Masts: +3$/m,
    );
    expect(await k.ok(`explain ${ships}.spec.masts`)).toMatch(
      /FIELD: masts <integer>.*\n[\s\S]*How many masts it has\./,
    );
    expect(await k.ok(`api-resources --api-group=${group}`)).toMatch(/\nships +shp\d+ +\S+\/v1 +true +Ship\n$/);
  });

  it('explains our own kinds, with every field of every level', async () => {
    const k = await session.inNamespace();
    expect(await k.ok('explain clusterpolicy.spec.rules.validate.podSecurity.level')).toMatch(
      /FIELD: level <string>\nENUM:\n {4}privileged\n {4}baseline\n {4}restricted\n\nDESCRIPTION:\n {4}Which of the standards\.\n/,
    );
    const policy = await k.ok('explain imageresourcepolicy.spec');
    expect(policy).toContain('Which images are looked at, and which of their tags is wanted.');
    expect(policy).toMatch(/^ {2}interval\t<string>\n {4}How often the registry is looked at\.$/m);
    for (const of of ['clusterpolicy.spec.rules.mutate.targets', 'imageresourcepolicy.status'])
      expect(await k.ok(`explain ${of}`)).not.toContain('<no description>');
  });

  it('validates custom resources by their schema', async () => {
    const { k, group } = await prepare();
    const error = await k.fails('apply -f -', { input: ship(group, 'raft', { masts: 0, captain: 'noah' }) });
    expect(error).toContain('The Ship "raft" is invalid:');
    expect(error).toContain('* spec.masts: Invalid value: 0: spec.masts in body should be greater than or equal to 1');
    expect(error).toContain('* spec.captain: Unsupported value: "noah": supported values: "ahab", "nemo"');
    expect(await k.fails('apply -f -', { input: ship(group, 'raft', {}) })).toBe(
      'The Ship "raft" is invalid: spec.masts: Required value\n',
    );
    expect(await k.fails('apply -f -', { input: ship(group, 'raft', { masts: 1, sails: 2 }) })).toContain(
      'strict decoding error: unknown field "spec.sails"',
    );
  });

  it('applies, patches the status of, scales and deletes custom resources', async () => {
    const { k, group, ships } = await prepare();
    await k.apply(ship(group, 'pequod'));
    expect(await k.apply(ship(group, 'pequod'))).toBe(`ship.${group}/pequod unchanged\n`);
    expect(await k.apply(ship(group, 'pequod', { masts: 2 }))).toBe(`ship.${group}/pequod configured\n`);
    expect((await k.json(`get ${ships} pequod`)).spec).toEqual({ masts: 2 });
    const status = JSON.stringify({ status: { port: 'Nantucket', masts: 2 }, spec: { masts: 9 } });
    await k.ok(['patch', ships, 'pequod', '--subresource=status', '--type=merge', '-p', status]);
    expect(await k.json(`get ${ships} pequod`)).toMatchObject({ spec: { masts: 2 }, status: { port: 'Nantucket' } });
    await k.ok(['wait', `${ships}/pequod`, '--for=jsonpath={.status.port}=Nantucket', '--timeout=60s']);
    expect(await k.ok(`scale ${ships} pequod --replicas=4`)).toBe(`ship.${group}/pequod scaled\n`);
    expect((await k.json(`get ${ships} pequod`)).spec).toEqual({ masts: 4 });
    expect(
      await k.ok('apply --server-side --force-conflicts -f -', { input: ship(group, 'pequod', { masts: 5 }) }),
    ).toBe(`ship.${group}/pequod serverside-applied\n`);
    expect(await k.ok(`delete crd ${ships} --timeout=60s`)).toContain('deleted');
    expect(await k.fails(`get ${ships}`)).toMatch(
      /the server doesn't have a resource type|could not find the requested resource/,
    );
  });
}
