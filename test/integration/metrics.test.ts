import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect } from '../../src/app/connect.ts';
import { availableFeatures } from '../../src/app/features/index.ts';
import { describeMetrics, renderMetricsReference } from '../../src/app/metrics-reference.ts';
import { silentLogger } from '../../src/base/index.ts';
import { startEmbedded } from '../support/embedded-cluster.ts';
import type { Cluster } from '../support/real-cluster.ts';
import { installKinds, type RunningFeatures, runFeatures } from './run-features.ts';

const reference = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8');
const documented = [...reference.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name!);

it('docs/reference/metrics.md is up to date (npm run generate:metrics)', async () => {
  expect(reference).toBe(renderMetricsReference(await describeMetrics()));
});

describe('a program with all features', () => {
  let cluster: Cluster;
  let features: RunningFeatures;
  let text = '';

  beforeAll(async () => {
    cluster = await startEmbedded({ simulation: false });
    const connection = await connect({ env: {}, kubeconfig: cluster.kubeconfigPath, log: silentLogger });
    await installKinds(connection);
    await connection.client.close();
    let address = '';
    // Nobody answers there: what is not reached is tried again, and counted.
    const nowhere = '127.0.0.1:1';
    features = await runFeatures(cluster, availableFeatures, {
      env: {
        BACKUP_REGISTRY: `${nowhere}/copies`,
        FAIRWINDS_INSIGHTS_HOST: `http://${nowhere}`,
        FAIRWINDS_TOKEN: 'token',
        FAIRWINDS_ORG: 'organization',
        FAIRWINDS_CLUSTER: 'cluster',
      },
      onListening: (listening) => {
        address = listening;
      },
    });
    text = await (await fetch(`http://${address}/metrics`)).text();
  }, 90_000);

  afterAll(async () => {
    await features?.stop();
    await cluster?.stop();
  }, 60_000);

  it('exposes what is documented and documents what it exposes', () => {
    const exposed = [...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name!);
    expect(exposed.sort()).toEqual(documented);
  });

  it.each(['webhooks', 'policy-status', 'detect', 'create', 'create-templates', 'mirror-copies', 'mirror-workloads'])(
    'counts the reconciles and the queue of the controller %s',
    (name) => {
      for (const result of ['success', 'requeue_after', 'error', 'terminal_error'])
        expect(text).toMatch(
          new RegExp(`^supercargo_reconcile_total{controller="${name}",result="${result}"} \\d`, 'm'),
        );
      for (const metric of ['depth', 'adds_total', 'retries_total'])
        expect(text).toMatch(new RegExp(`^workqueue_${metric}{name="${name}"} \\d`, 'm'));
    },
  );

  it.each(['generate', 'report'])('counts the queue %s', (name) => {
    expect(text).toMatch(new RegExp(`^workqueue_adds_total{name="${name}"} \\d`, 'm'));
  });

  it('has counted the reconciles of its webhooks', () => {
    expect(text).toMatch(/^supercargo_reconcile_total\{controller="webhooks",result="requeue_after"\} [1-9]/m);
    expect(text).toMatch(/^workqueue_work_duration_seconds_count\{name="webhooks"\} [1-9]/m);
  });
});
