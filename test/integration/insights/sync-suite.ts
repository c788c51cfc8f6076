import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { SyncLockedError } from '../../../src/app/sync.ts';
import { ownProcess } from '../../../src/sync/index.ts';
import type { Body } from '../../support/http-client.ts';
import type { Fault } from '../../support/insights-server.ts';
import { nodeProgram } from '../../support/node-program.ts';
import { eventually } from '../../support/wait.ts';
import { type AdmissionRequest, type HookAnswer, startWebhookServer } from '../../support/webhook-server.ts';
import type { InsightsFixture } from './fixture.ts';
import { clusterPolicies, collections, namespacedPolicies, owned, policy, yamlOf } from './policies.ts';

/** What must be as before after a roll-back. */
const content = ({ kind, metadata, spec }: Body) =>
  JSON.stringify([kind, metadata.namespace, metadata.name, spec, metadata.labels, metadata.annotations]);

export function defineSyncSuite(fixture: InsightsFixture): void {
  const everything = async () => {
    const found = [];
    for (const collection of collections) found.push(...(await fixture.api.get(collection)).body.items);
    return found;
  };
  const snapshot = async () => (await everything()).map(content).sort();
  const versions = async () =>
    (await everything()).map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
  const names = async () => (await everything()).map(({ metadata }) => metadata.name).sort();
  const create = async (object: object, collection = clusterPolicies) => {
    const answer = await fixture.api.post(collection, object);
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  };
  const get = async (name: string) => (await fixture.api.get(`${clusterPolicies}/${name}`)).body;

  /** Asks `answer` about every write to a policy that is no dry run. */
  const review = async (answer: (request: AdmissionRequest) => HookAnswer | Promise<HookAnswer>) => {
    const hook = await startWebhookServer((request) =>
      request.dryRun || request.name === 'probe' ? {} : answer(request),
    );
    const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
    const made = await fixture.api.post(configurations, {
      metadata: { name: 'insights-test' },
      webhooks: [
        {
          name: 'policies.insights.test',
          clientConfig: { url: `${hook.url}/`, caBundle: hook.caBundle },
          rules: [{ apiGroups: ['kyverno.io'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }],
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          timeoutSeconds: 20,
        },
      ],
    });
    expect(made.status, made.text).toBe(201);
    let isOpen = true;
    const close = async () => {
      if (!isOpen) return;
      isOpen = false;
      await fixture.api.delete(`${configurations}/insights-test`);
      await hook.close();
    };
    fixture.atEnd(close);
    // A server takes a moment to notice its configuration.
    await eventually(async () => {
      hook.urls.length === 0 &&
        (await fixture.api.post(clusterPolicies, { ...policy('probe'), metadata: { name: 'probe' } }));
      await fixture.api.delete(`${clusterPolicies}/probe`);
      expect(hook.urls.length).toBeGreaterThan(0);
    });
    return close;
  };

  describe('a sync', () => {
    test('applies what is new, updates what changed, removes what is gone, and says so in one closing line', async () => {
      await create(policy('changed', 'old'));
      await create(policy('gone'));
      await create(policy('same'));
      fixture.insights.policies = yamlOf(policy('changed', 'new'), policy('same'), policy('fresh'), policy('fresher'));
      const { closing, lines } = await fixture.sync();
      expect(Object.keys(closing)).toEqual([
        'level',
        'msg',
        'success',
        'duration',
        'summary',
        'applied',
        'updated',
        'removed',
        'failed',
        'rolledBack',
        'dryRun',
      ]);
      expect(closing).toEqual({
        level: 'info',
        msg: 'Policy sync completed',
        success: true,
        duration: expect.stringMatching(/^\d+\.\ds$/),
        summary: 'Applied 2, Updated 1, Removed 1, Failed 0',
        applied: ['fresh', 'fresher'],
        updated: ['changed'],
        removed: ['gone'],
        failed: [],
        rolledBack: [],
        dryRun: false,
      });
      expect(lines.slice(0, -1)).toEqual([
        { level: 'info', msg: 'Policy applied', policy: 'fresh', kind: 'ClusterPolicy' },
        { level: 'info', msg: 'Policy applied', policy: 'fresher', kind: 'ClusterPolicy' },
        { level: 'info', msg: 'Policy updated', policy: 'changed', kind: 'ClusterPolicy' },
        { level: 'info', msg: 'Policy removed', policy: 'gone', kind: 'ClusterPolicy' },
      ]);
      expect(await names()).toEqual(['changed', 'fresh', 'fresher', 'same']);
      expect(JSON.stringify((await get('changed')).spec)).toContain('"new"');
    });

    test('writes nothing when nothing changed: defaults, order of keys and server-set fields are no change', async () => {
      const { spec, metadata, kind, apiVersion } = policy('steady');
      const turned = { spec: Object.fromEntries(Object.entries(spec).reverse()), metadata, kind, apiVersion };
      fixture.insights.policies = yamlOf(policy('steady'), policy('other', 'x', { namespace: 'team-a' }));
      await fixture.sync();
      expect((await get('steady')).spec).toMatchObject({ background: true });
      const before = await versions();
      fixture.insights.policies = yamlOf(
        {
          ...turned,
          metadata: { ...metadata, uid: 'made-up', resourceVersion: '1', creationTimestamp: null, generation: 7 },
          status: { ready: false },
        },
        policy('other', 'x', { namespace: 'team-a' }),
      );
      const { closing, result } = await fixture.sync();
      expect(closing).toMatchObject({ success: true, summary: 'Applied 0, Updated 0, Removed 0, Failed 0' });
      expect(result.unchanged).toBe(2);
      expect(await versions()).toEqual(before);
    });

    test('repairs an edited policy, and removes a field that Insights removed', async () => {
      const extra = policy('p');
      fixture.insights.policies = yamlOf({ ...extra, spec: { ...extra.spec, failurePolicy: 'Ignore' } });
      await fixture.sync();
      fixture.insights.policies = yamlOf(extra);
      expect((await fixture.sync()).closing).toMatchObject({ updated: ['p'] });
      expect((await get('p')).spec).not.toHaveProperty('failurePolicy');
      await fixture.api.patch(`${clusterPolicies}/p`, { spec: { background: false } }, 'merge');
      expect((await fixture.sync()).closing).toMatchObject({ updated: ['p'] });
      expect((await get('p')).spec).toMatchObject({ background: true });
    });

    test('shows in a dry run what changes, and no default of the server', async () => {
      fixture.insights.policies = yamlOf(policy('p', 'old'));
      await fixture.sync();
      fixture.insights.policies = yamlOf(policy('p', 'new'));
      const { diff } = await fixture.sync({ DRY_RUN: 'true' });
      const changed = diff.split('\n').filter((line) => /^[+-] /.test(line));
      expect(changed.map((line) => line.replace(/\s+/g, ' '))).toEqual(['- message: old', '+ message: new']);
    });

    test('says at level debug what it does', async () => {
      fixture.printed.splice(0);
      fixture.insights.policies = yamlOf(policy('p'));
      await fixture.sync();
      const messages = ['lock acquired', 'Policies fetched', 'kinds found', 'Policies compared', 'Policies validated'];
      for (const message of messages) expect(fixture.printed.join('')).toContain(message);
    });

    test("keeps other people's labels, and drops those of Insights that it no longer names", async () => {
      fixture.insights.policies = yamlOf(policy('p', 'm', { labels: { 'from-insights': 'yes', stays: 'yes' } }));
      await fixture.sync();
      await fixture.api.patch(`${clusterPolicies}/p`, { metadata: { labels: { foreign: 'yes' } } }, 'merge');
      expect((await fixture.sync()).closing).toMatchObject({ updated: [] });
      fixture.insights.policies = yamlOf(policy('p', 'm', { labels: { stays: 'yes' } }));
      expect((await fixture.sync()).closing).toMatchObject({ updated: ['p'] });
      expect((await get('p')).metadata.labels).toEqual({ stays: 'yes', foreign: 'yes' });
    });

    test('distinguishes kinds and namespaces', async () => {
      const validating = {
        apiVersion: 'policies.kyverno.io/v1',
        kind: 'ValidatingPolicy',
        metadata: { name: 'twin', annotations: owned },
        spec: {
          matchConstraints: {
            resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
          },
          validations: [{ expression: 'true' }],
        },
      };
      const twins = [
        policy('twin'),
        policy('twin', 'a', { namespace: 'team-a' }),
        policy('twin', 'b', { namespace: 'team-b' }),
        validating,
      ];
      fixture.insights.policies = yamlOf(...twins);
      expect((await fixture.sync()).closing).toMatchObject({
        applied: ['twin', 'Policy/team-a/twin', 'Policy/team-b/twin', 'ValidatingPolicy/twin'],
      });
      fixture.insights.policies = yamlOf(twins[0]!, policy('twin', 'changed', { namespace: 'team-b' }), validating);
      expect((await fixture.sync()).closing).toMatchObject({
        applied: [],
        updated: ['Policy/team-b/twin'],
        removed: ['Policy/team-a/twin'],
      });
      expect((await fixture.api.get(namespacedPolicies('team-a'))).body.items).toEqual([]);
    });

    test.each(['atomic', 'best-effort'])("leaves a user's own policy of the same name alone (%s)", async (mode) => {
      const { annotations: _, ...metadata } = policy('mine').metadata;
      await create({ ...policy('mine', 'my own'), metadata });
      const before = await snapshot();
      fixture.insights.policies = yamlOf(policy('mine', 'theirs'), policy('theirs'));
      const { closing } = await fixture.sync({ SYNC_MODE: mode });
      expect(closing['success']).toBe(false);
      expect(closing['failed']).toEqual([
        expect.stringMatching(/^mine: a policy of that name exists that is not of Insights/),
      ]);
      expect(await names()).toEqual(mode === 'atomic' ? ['mine'] : ['mine', 'theirs']);
      expect((await snapshot()).filter((one) => one.includes('"mine"'))).toEqual(before);
      // Nor is it removed when Insights stops naming it.
      fixture.insights.policies = yamlOf(policy('theirs'));
      await fixture.sync({ SYNC_MODE: mode });
      expect(await names()).toEqual(['mine', 'theirs']);
    });

    test('reports each outcome to Insights, and does not mind when it cannot', async () => {
      await create(policy('gone'));
      fixture.insights.policies = yamlOf(policy('fresh'));
      await fixture.sync();
      expect(fixture.insights.policyReports).toEqual([
        {
          policyName: 'fresh',
          reportType: 'kyverno',
          action: 'apply',
          status: 'success',
          lastAppliedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
          policyBody: expect.stringContaining('kind: ClusterPolicy'),
          output: 'applied',
        },
        expect.objectContaining({ policyName: 'gone', action: 'delete', status: 'success', output: 'removed' }),
      ]);
      fixture.insights.failForever('/apply-status', { status: 400 });
      fixture.insights.policies = yamlOf(policy('fresh', 'again'));
      expect((await fixture.sync()).closing).toMatchObject({ success: true, updated: ['fresh'] });
      expect(fixture.printed.join('')).toContain('Some outcomes were not reported to Insights');
    });

    test('shows in a dry run what would change, policy by policy, and changes nothing', async () => {
      await create(policy('changed', 'the old message'));
      await create(policy('gone'));
      const before = await versions();
      fixture.insights.policies = yamlOf(policy('changed', 'the new message'), policy('fresh'));
      const { closing, diff } = await fixture.sync({ DRY_RUN: 'true' });
      expect(closing).toMatchObject({
        success: true,
        applied: ['fresh'],
        updated: ['changed'],
        removed: ['gone'],
        dryRun: true,
      });
      expect(diff).toMatch(/^would apply ClusterPolicy fresh$/m);
      expect(diff).toMatch(/^would update ClusterPolicy changed$/m);
      expect(diff).toMatch(/^would remove ClusterPolicy gone$/m);
      expect(diff).toMatch(/^- +message: the old message$/m);
      expect(diff).toMatch(/^\+ +message: the new message$/m);
      expect(await versions()).toEqual(before);
      expect(fixture.insights.policyReports).toEqual([]);
    });
  });

  describe('the response of Insights', () => {
    const bomb = `a: &a [${'x,'.repeat(9)}x]\n${'bcdefghi'
      .split('')
      .map((name, index) => `${name}: &${name} [${`*${'abcdefgh'[index]},`.repeat(9)}*${'abcdefgh'[index]}]`)
      .join('\n')}\n`;
    const { annotations: _, ...bare } = policy('bare').metadata;
    const answers: readonly [string, Fault, RegExp][] = [
      ['is empty', { text: '' }, /no policy at all; nothing is removed \(ALLOW_EMPTY=true allows it\)/],
      ['holds only separators and comments', { text: '---\n# nothing\n---\n' }, /no policy at all/],
      ['is null', { text: 'null' }, /no policy at all/],
      ['is a web page', { text: '<html></html>', type: 'text/html' }, /a web page, not policies/],
      ['is a web page that claims to be YAML', { text: '<!doctype html>' }, /a web page, not policies/],
      ['is 100 MB', { bytes: 100_000_000, announced: false }, /larger than 33554432 bytes/],
      ['is an alias bomb', { text: bomb }, /excessive aliasing/],
      ['is no YAML', { text: 'a: [b\nc: d' }, /the response of Insights:\d+:\d+/],
      ['is prose', { text: 'Bad gateway, sorry' }, /document at line 1: it is not a Kubernetes object/],
      ['is an error in JSON', { text: '{"message":"no"}', type: 'application/json' }, /it has no apiVersion and kind/],
      ['may be cut off', { cut: yamlOf(policy('half')), framed: false }, /it may be cut off/],
      [
        'is cut in the middle of a document',
        { text: `${yamlOf(policy('one'))}---\napiVersion: kyverno.io/v1\nkind: Clu` },
        /ClusterPolicy|kind|name/,
      ],
      [
        'holds a kind that is no policy',
        {
          text: yamlOf(policy('one'), {
            apiVersion: 'v1',
            kind: 'Secret',
            metadata: { name: 's', annotations: owned },
          }),
        },
        /Secret\/s: v1 Secret is no policy kind/,
      ],
      [
        'holds a kind that the cluster does not serve',
        { text: yamlOf({ ...policy('one'), apiVersion: 'kyverno.io/v9' }) },
        /kyverno.io\/v9 ClusterPolicy is no policy kind/,
      ],
      [
        'lacks the annotation',
        { text: yamlOf(policy('one'), { ...policy('bare'), metadata: bare }) },
        /bare: it lacks the annotation/,
      ],
      [
        'names a policy twice',
        { text: yamlOf(policy('one', 'a'), policy('one', 'b')) },
        /one: it is in the response 2 times/,
      ],
      [
        'lacks a namespace',
        { text: yamlOf({ ...policy('one'), kind: 'Policy' }) },
        /Policy\/one: a Policy lives in a namespace/,
      ],
      [
        'names a namespace that is not there',
        { text: yamlOf(policy('one', 'm', { namespace: 'nowhere' })) },
        /namespaces? "?nowhere"? not found/,
      ],
      [
        'has a name that no object can have',
        { text: yamlOf(policy('../../secrets/x')) },
        /a name that no object can have/,
      ],
    ];
    test.each(answers)('that %s changes nothing, and the closing line says why', async (_, fault, reason) => {
      await create(policy('kept'));
      const before = await versions();
      fixture.insights.failForever('/kyverno-policies/', fault);
      const { closing, result } = await fixture.sync();
      expect(closing).toMatchObject({ success: false, applied: [], updated: [], removed: [], rolledBack: [] });
      expect((closing['failed'] as string[]).join('\n')).toMatch(reason);
      expect(result.outcome).toBe('failed');
      expect(await versions()).toEqual(before);
    });

    test('that holds something unknown removes nothing even when the others are synced', async () => {
      await create(policy('kept'));
      fixture.insights.policies = yamlOf(policy('one'), { what: 'is this' });
      const { closing } = await fixture.sync({ SYNC_MODE: 'best-effort' });
      expect(closing).toMatchObject({ success: false, applied: ['one'], removed: [] });
      expect(await names()).toEqual(['kept', 'one']);
    });

    test.each(['atomic', 'best-effort'])(
      'that is cut off at a line removes nothing that the cut may hide (%s)',
      async (mode) => {
        const long = (name: string) => {
          const { spec, ...rest } = policy(name);
          const [rule] = spec['rules'] as readonly Record<string, unknown>[];
          const message = 'labels are missing:\nteam\nowner\n';
          const pattern = { metadata: { labels: { team: '?*', owner: '?*' } } };
          const rules = [
            { ...rule, validate: { message, pattern } },
            { ...rule, name: 'second' },
          ];
          return { ...rest, spec: { ...spec, rules } };
        };
        const all = [policy('a'), policy('b'), long('c'), policy('d')];
        for (const one of all) await create(one);
        const text = yamlOf(...all);
        const lines = text.split('\n').slice(0, -1);
        const accepted: string[] = [];
        for (let count = 1; count < lines.length; count++) {
          fixture.insights.policies = `${lines.slice(0, count).join('\n')}\n`;
          const { closing } = await fixture.sync({ SYNC_MODE: mode, DRY_RUN: 'true' });
          const removed = closing['removed'] as string[];
          if (removed.length === 0) continue;
          accepted.push(`${lines[count - 1]?.trim()} removes ${removed.join(', ')}`);
          expect(closing['updated']).toEqual([]);
        }
        // Between documents nothing shows that something is missing, and the share that goes is not large.
        const end = lines.at(-1)?.trim();
        expect(new Set(accepted)).toEqual(
          new Set([`${end} removes d`, `${end} removes c, d`, '--- removes c, d', '--- removes d']),
        );
        expect(await names()).toEqual(['a', 'b', 'c', 'd']);
      },
      120_000,
    );

    test('that lacks more than half of what was synced removes nothing without an allowance', async () => {
      for (const name of ['a', 'b', 'c']) await create(policy(name));
      fixture.insights.policies = yamlOf(policy('a'));
      const { closing } = await fixture.sync();
      expect(closing['failed']).toEqual([
        'sync: the response lacks 2 of the 3 policies that were synced, more than 50%; none is removed (ALLOW_REMOVE_SHARE allows more)',
      ]);
      expect(await names()).toEqual(['a', 'b', 'c']);
      expect((await fixture.sync({ ALLOW_REMOVE_SHARE: '70' })).closing).toMatchObject({ removed: ['b', 'c'] });
    });

    test('may be empty where that is allowed', async () => {
      await create(policy('last'));
      fixture.insights.policies = '';
      expect((await fixture.sync({ ALLOW_EMPTY: 'true' })).closing).toMatchObject({ success: true, removed: ['last'] });
      expect(await names()).toEqual([]);
    });

    test('that does not come changes nothing', async () => {
      await create(policy('kept'));
      fixture.insights.failForever('/kyverno-policies/', { status: 401 });
      const { closing } = await fixture.sync();
      expect(closing['failed']).toEqual([expect.stringContaining('renew FAIRWINDS_TOKEN')]);
      expect(await names()).toEqual(['kept']);
    });
  });

  describe('validation', () => {
    /** Right by its schema, but it calls a function that there is none. */
    const broken = () => policy('broken', '{{ no_such_function(request.object) }}');

    test('validates with the engine before any change, unless disabled', async () => {
      fixture.insights.policies = yamlOf(policy('fine'), broken());
      const { closing } = await fixture.sync();
      expect(closing).toMatchObject({ success: false, applied: [] });
      expect(closing['failed']).toEqual([expect.stringMatching(/^broken: spec\.rules.*no_such_function/)]);
      expect(await names()).toEqual([]);
      expect((await fixture.sync({ VALIDATE_POLICIES: 'false' })).closing).toMatchObject({
        applied: ['fine', 'broken'],
      });
    });

    test('asks the API server in any case', async () => {
      fixture.insights.policies = yamlOf(policy('fine'), {
        ...policy('bad'),
        spec: { ...policy('bad').spec, background: 'perhaps' },
      });
      const { closing } = await fixture.sync({ VALIDATE_POLICIES: 'false' });
      expect(closing['failed']).toEqual([expect.stringMatching(/^bad: .*spec\.background/)]);
      expect(await names()).toEqual([]);
    });

    test('asks the Kyverno CLI where there is one, without handing it the token', async () => {
      const cli = path.join(fixture.folder, 'kyverno');
      writeFileSync(
        cli,
        nodeProgram(`
          const { readFileSync, writeFileSync } = require('node:fs');
          const [, own, command, policy, option, resource] = process.argv;
          writeFileSync(own + '.env', JSON.stringify(process.env));
          if (command !== 'apply' || option !== '--resource' || readFileSync(resource, 'utf8') === '') process.exit(9);
          console.log('\\nApplying 3 policy rule(s) to 1 resource(s)...');
          if (readFileSync(policy, 'utf8').includes('name: bad')) {
            console.log('-----\\nPolicies Skipped:\\n1. bad: bad policy\\n-----');
            process.exitCode = 1;
          }
          console.log('\\npass: 0, fail: 0, warn: 0, error: 0, skip: 0');
        `),
      );
      chmodSync(cli, 0o755);
      fixture.insights.policies = yamlOf(policy('fine'), policy('bad'));
      const { closing } = await fixture.sync({ KYVERNO_CLI: cli });
      expect(closing['failed']).toEqual(['bad: the Kyverno CLI refuses it (1): 1. bad: bad policy']);
      const given = readFileSync(`${cli}.env`, 'utf8');
      expect(given).toContain('"PATH"');
      expect(given).not.toContain('very-secret-token');
      expect(await names()).toEqual([]);
      fixture.insights.policies = yamlOf(policy('fine'));
      expect((await fixture.sync({ KYVERNO_CLI: cli })).closing).toMatchObject({ applied: ['fine'] });
      fixture.insights.policies = yamlOf(policy('fine', 'changed'));
      const missing = await fixture.sync({ KYVERNO_CLI: path.join(fixture.folder, 'absent') });
      expect(missing.closing['failed']).toEqual([expect.stringMatching(/could not be run.*check KYVERNO_CLI/)]);
    });
  });

  describe('a failure on the way', () => {
    const ten = Array.from({ length: 10 }, (_, i) => policy(`p${i}`, 'new'));
    const seventh = (request: AdmissionRequest): HookAnswer =>
      request.name === 'p6' ? { allowed: false, status: { message: 'not the seventh' } } : {};

    test('puts back spec, labels and annotations of everything that was changed', async () => {
      for (const i of [2, 3, 6])
        await create(policy(`p${i}`, 'old', { labels: { team: 'x' }, annotations: { ...owned, note: 'n' } }));
      await create(policy('gone', 'old'));
      const before = await snapshot();
      await review(seventh);
      fixture.insights.policies = yamlOf(...ten);
      const { closing, result } = await fixture.sync();
      expect(result.outcome).toBe('failed');
      expect(closing).toMatchObject({ success: false, applied: [], updated: [], removed: [] });
      expect(closing['failed']).toEqual([expect.stringMatching(/^p6: .*not the seventh/)]);
      expect(closing['rolledBack']).toEqual(['p3', 'p2', 'p9', 'p8', 'p7', 'p5', 'p4', 'p1', 'p0']);
      expect(await snapshot()).toEqual(before);
      const rolledBack = fixture.insights.policyReports.filter(({ output }) =>
        String(output).startsWith('rolled back because p6'),
      );
      expect(rolledBack).toHaveLength(9);
    });

    test('brings back what was removed when a later removal is refused', async () => {
      await create(policy('gone-1', 'a', { labels: { l: '1' } }));
      await create(policy('gone-2'));
      const before = await snapshot();
      const { uid } = (await get('gone-1')).metadata;
      await review(({ name, operation }) => ({ allowed: !(operation === 'DELETE' && name === 'gone-2') }));
      fixture.insights.policies = yamlOf(policy('fresh'));
      const { closing } = await fixture.sync({ ALLOW_REMOVE_SHARE: '100' });
      expect(closing).toMatchObject({ success: false, applied: [], removed: [], rolledBack: ['gone-1', 'fresh'] });
      expect(await snapshot()).toEqual(before);
      expect((await get('gone-1')).metadata.uid).not.toBe(uid);
    });

    test('stops nothing but itself in best-effort mode', async () => {
      await review(seventh);
      fixture.insights.policies = yamlOf(...ten);
      const { closing } = await fixture.sync({ SYNC_MODE: 'best-effort' });
      expect(closing).toMatchObject({
        success: false,
        summary: 'Applied 9, Updated 0, Removed 0, Failed 1',
        rolledBack: [],
      });
      expect(await names()).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p7', 'p8', 'p9']);
    });

    test('that cannot be put back is said, with its own outcome; the next run repairs it', async () => {
      const close = await review((request) => ({
        allowed: request.name !== 'p6' && request.operation !== 'DELETE',
        status: { message: 'refused' },
      }));
      fixture.insights.policies = yamlOf(...ten);
      const { closing, result } = await fixture.sync();
      expect(result.outcome).toBe('incomplete');
      expect(closing['applied']).toEqual([]);
      const outcomes = fixture.insights.policyReports.map(({ policyName, status }) => `${policyName} ${status}`).sort();
      expect(outcomes).toEqual(['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'].map((name) => `${name} failed`));
      expect(closing['failed']).toContainEqual(expect.stringMatching(/^p0: it could not be rolled back: .*refused/));
      await close();
      await eventually(async () => expect((await fixture.sync()).closing['success']).toBe(true));
      expect(await names()).toHaveLength(10);
    });

    test('does not overwrite a concurrent write', async () => {
      await create(policy('p0', 'old'));
      await create(policy('p1', 'old'));
      await review(async ({ name, operation, userInfo, object }) => {
        // While p1 is refused, a user edits p0, which the sync has just written.
        const isSync = JSON.stringify(object).includes('"new"');
        if (name !== 'p1' || operation !== 'UPDATE' || !isSync) return {};
        expect(userInfo.username).not.toBe('');
        await fixture.api.patch(`${clusterPolicies}/p0`, { metadata: { labels: { edited: 'now' } } }, 'merge');
        return { allowed: false, status: { message: 'no' } };
      });
      fixture.insights.policies = yamlOf(policy('p0', 'new'), policy('p1', 'new'));
      const { closing, result } = await fixture.sync();
      expect(result.outcome).toBe('incomplete');
      expect(closing['failed']).toContainEqual(expect.stringMatching(/^p0: .*it was changed since/));
      expect((await get('p0')).metadata.labels).toEqual({ edited: 'now' });
    });

    test('is not seen in a status that the engine writes at the same time', async () => {
      await create(policy('p0', 'old'));
      let hasWritten = false;
      await review(async ({ name, operation, subResource }) => {
        if (name === 'p0' && operation === 'UPDATE' && !subResource && !hasWritten) {
          hasWritten = true;
          const status = { status: { ready: true } };
          expect((await fixture.api.patch(`${clusterPolicies}/p0/status`, status, 'merge')).status).toBe(200);
        }
        return {};
      });
      fixture.insights.policies = yamlOf(policy('p0', 'new'));
      expect((await fixture.sync()).closing).toMatchObject({ success: true, updated: ['p0'] });
      expect((await get('p0'))['status']).toEqual({ ready: true });
    });

    test('by a stop in the middle puts everything back', async () => {
      const stop = new AbortController();
      await review(({ name, operation }) => {
        if (name === 'p6' && operation === 'CREATE') stop.abort(new Error('told to stop'));
        return {};
      });
      fixture.insights.policies = yamlOf(...ten);
      const { closing } = await fixture.sync({}, {}, stop.signal);
      expect(closing).toMatchObject({ success: false, applied: [] });
      await eventually(async () => expect((await fixture.sync({ DRY_RUN: 'true' })).closing['success']).toBe(true));
      const left = await names();
      expect(left.filter((name) => name !== 'p6')).toEqual([]);
    });
  });

  describe('the lock', () => {
    const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    const hold = async (ageMs: number, process?: object) => {
      const { headers } = await fixture.api.get('/version');
      const renewTime = new Date(Date.parse(String(headers['date'])) - ageMs).toISOString().replace('Z', '000Z');
      await fixture.api.delete(`${lease}/kyverno-policy-sync-lock`);
      const spec = { holderIdentity: 'dead-pod', leaseDurationSeconds: 1800, acquireTime: renewTime, renewTime };
      const annotations = process && {
        'supercargo.dev/sync-process': JSON.stringify({ identity: 'dead-pod', ...process }),
      };
      const metadata = { name: 'kyverno-policy-sync-lock', annotations };
      const answer = await fixture.api.post(lease, { metadata, spec });
      expect(answer.status, answer.text).toBe(201);
      fixture.atEnd(() => fixture.api.delete(`${lease}/kyverno-policy-sync-lock`));
    };

    test.each(['lease', 'file'] as const)('lets one of two syncs at once through (%s)', async (lock) => {
      fixture.insights.policies = yamlOf(policy('p'));
      let release = () => {};
      const isHeld = new Promise<void>((resolve) => {
        release = resolve;
      });
      const close = await review(async ({ name }) => {
        if (name === 'p') await isHeld;
        return {};
      });
      const first = fixture.sync({}, { lock });
      await eventually(() => expect(fixture.insights.requestsTo('/kyverno-policies/')).toHaveLength(1));
      await expect(fixture.sync({}, { lock })).rejects.toThrow(
        lock === 'lease'
          ? /another sync is running: held by \S+, last renewed \d+s ago \(Lease default\/kyverno-policy-sync-lock/
          : /another sync is running: held by process \d+ on \S+, last renewed \d+s ago \(lock file .*kyverno-policy-sync\.lock/,
      );
      expect(fixture.insights.requestsTo('/kyverno-policies/')).toHaveLength(1);
      release();
      expect((await first).closing).toMatchObject({ applied: ['p'] });
      await close();
      expect((await fixture.sync({}, { lock })).closing).toMatchObject({ success: true });
    });

    test('of a holder that died is respected for its time and then taken over', async () => {
      fixture.insights.policies = yamlOf(policy('p'));
      await hold(29 * 60_000);
      await expect(fixture.sync()).rejects.toThrow(/held by dead-pod, last renewed 17(40|41|42)s ago/);
      await expect(fixture.sync()).rejects.toBeInstanceOf(SyncLockedError);
      await hold(31 * 60_000);
      expect((await fixture.sync()).closing).toMatchObject({ applied: ['p'] });
      const { body } = await fixture.api.get(`${lease}/kyverno-policy-sync-lock`);
      expect(body.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
    });

    test('that another has leaves the closing line of a run that did nothing', async () => {
      await hold(1000);
      const lines: Readonly<Record<string, unknown>>[] = [];
      const output = {
        line: (line: Readonly<Record<string, unknown>>) => void lines.push(line),
        diff: () => undefined,
      };
      await expect(fixture.sync({}, { output })).rejects.toBeInstanceOf(SyncLockedError);
      expect(lines).toEqual([
        expect.objectContaining({
          msg: 'Policy sync completed',
          success: false,
          summary: 'Applied 0, Updated 0, Removed 0, Failed 1',
          failed: [
            expect.stringMatching(/^sync: another sync is running: held by dead-pod.*Lease default\/kyverno-policy/),
          ],
        }),
      ]);
    });

    test('of a process that was killed is taken over at once', async () => {
      fixture.insights.policies = yamlOf(policy('p'));
      const { pid } = spawnSync(process.execPath, ['-e', '']);
      await hold(1000, { ...ownProcess(), pid });
      expect((await fixture.sync()).closing).toMatchObject({ applied: ['p'] });
      // The same id, used by a process that started at another time.
      await hold(1000, { ...ownProcess(), startTime: '1' });
      expect((await fixture.sync()).closing).toMatchObject({ success: true });
      await hold(1000, ownProcess());
      await expect(fixture.sync()).rejects.toBeInstanceOf(SyncLockedError);
      await hold(1000, { ...ownProcess(), identity: 'another-holder', pid });
      await expect(fixture.sync()).rejects.toBeInstanceOf(SyncLockedError);
    });

    test('of a pod that is gone, has ended or was replaced is taken over at once', async () => {
      fixture.insights.policies = yamlOf(policy('p'));
      const pods = '/api/v1/namespaces/default/pods';
      const spec = { containers: [{ name: 'main', image: 'example.test/sync:1' }] };
      const made = await fixture.api.post(pods, { metadata: { name: 'syncer' }, spec });
      expect(made.status, made.text).toBe(201);
      fixture.atEnd(() => fixture.api.delete(`${pods}/syncer?gracePeriodSeconds=0`));
      const pod = { namespace: 'default', name: 'syncer', uid: made.body.metadata.uid };
      const elsewhere = { ...ownProcess(), pidSpace: 'elsewhere' };
      await hold(1000, { ...elsewhere, pod });
      await expect(fixture.sync()).rejects.toBeInstanceOf(SyncLockedError);
      for (const other of [
        { ...pod, name: 'gone' },
        { ...pod, uid: 'earlier' },
      ]) {
        await hold(1000, { ...elsewhere, pod: other });
        expect((await fixture.sync()).closing).toMatchObject({ success: true });
      }
      await fixture.api.patch(`${pods}/syncer/status`, { status: { phase: 'Failed' } }, 'merge');
      await hold(1000, { ...elsewhere, pod });
      expect((await fixture.sync()).closing).toMatchObject({ success: true });
    });

    test("is measured with the server's clock, whatever the local clock says", async () => {
      fixture.insights.policies = yamlOf(policy('p'));
      const original = Date.now;
      for (const skewMs of [60_000, -60_000, 60 * 60_000]) {
        Date.now = () => original() + skewMs;
        try {
          await hold(20_000);
          await expect(fixture.sync({ LOCK_TIMEOUT: '40s' })).rejects.toBeInstanceOf(SyncLockedError);
          await hold(50_000);
          expect((await fixture.sync({ LOCK_TIMEOUT: '40s' })).closing['success']).toBe(true);
        } finally {
          Date.now = original;
        }
      }
    });
  });
}
