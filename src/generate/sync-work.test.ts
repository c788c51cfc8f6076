import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../object/index.ts';
import { compilePolicy } from '../policy/index.ts';
import { type Origin, triggerIdentityOf } from './origin.ts';
import { createRuleTable } from './rule-table.ts';
import { SyncWork } from './sync-work.ts';
import { pods } from './testing/history.ts';

const pod: KubeObject = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', namespace: 'shop', uid: 'uid-a' } };
const { program } = compilePolicy({
  apiVersion: 'kyverno.io/v1',
  kind: 'ClusterPolicy',
  metadata: { name: 'p', uid: 'uid-p' },
  spec: {
    rules: ['one', 'two'].map((name) => ({
      name,
      match: { any: [{ resources: { kinds: ['Pod'] } }] },
      generate: { synchronize: true, apiVersion: 'v1', kind: 'ConfigMap', name, namespace: 'shop', data: {} },
    })),
  },
});
const origin = (rule: string): Origin => ({
  policy: 'p',
  rule,
  trigger: triggerIdentityOf(pod),
  operation: 'CREATE',
  synchronize: true,
});

describe('a synchronization', () => {
  it('runs again when it is requested while it runs', async () => {
    const seen: string[] = [];
    const work: SyncWork = new SyncWork({
      client: { get: async () => pod as never },
      discovery: { byKind: async () => pods as never },
      policies: { get: () => ({ key: 'p', program, object: program!.policy, issues: [] }) } as never,
      table: () => createRuleTable([program!], []),
      index: { ofTrigger: () => [] } as never,
      writer: undefined as never,
      recorder: undefined as never,
      apply: async (_, { rules }) => {
        seen.push(rules.map(({ name }) => name).join(' and '));
        if (seen.length === 1) for (const rule of ['one', 'two']) work.add('key', origin(rule));
      },
    });
    const { signal } = new AbortController();
    work.add('key', origin('one'));
    await work.run('key', signal);
    expect(work.size).toBe(1);
    await work.run('key', signal);
    expect(seen).toEqual(['one', 'one and two']);
    expect(work.size).toBe(0);
  });
});
