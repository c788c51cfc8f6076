import { customResourceDefinitions } from '../../api/index.ts';
import { renderYaml, silentLogger, systemClock } from '../../base/index.ts';
import { isKubeError } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { ownerAnnotation, ownerValue, type SyncResult } from '../../sync/index.ts';
import { localInstallation } from '../local-installation.ts';
import { createSyncProgram, readSyncConfig, recordedRun } from '../sync.ts';
import { type InsightsStandIn, startInsightsStandIn } from './insights-stand-in.ts';
import type { Scene, SceneContext } from './scene.ts';

/** An audit policy as Insights would send it. */
function policy(name: string, message: string): KubeObject {
  const match = { any: [{ resources: { kinds: ['Pod'] } }] };
  const pattern = { metadata: { labels: { team: '?*' } } };
  return {
    apiVersion: 'kyverno.io/v1',
    kind: 'ClusterPolicy',
    metadata: { name, annotations: { [ownerAnnotation]: ownerValue } },
    spec: {
      validationFailureAction: 'Audit',
      background: true,
      rules: [{ name, match, validate: { message, pattern } }],
    },
  };
}

const yamlOf = (...policies: readonly KubeObject[]) => policies.map((one) => `---\n${renderYaml(one)}`).join('');

/** Policies are synced from Insights and never replace a user's own policy. */
export const insightsScene: Scene = {
  title: 'Policies follow Fairwinds Insights (a local stand-in)',
  async play(context) {
    const insights = await startInsightsStandIn();
    try {
      await definePolicies(context);
      insights.policies = yamlOf(policy('require-team', 'name a team'), policy('require-team-twice', 'once more'));
      sayCounts(context, 'first sync', await sync(context, insights));
      insights.policies = yamlOf(policy('require-team', 'name the team that owns this pod'));
      sayCounts(context, 'Insights changed one and dropped one', await sync(context, insights));
      insights.policies = '';
      sayCounts(context, 'Insights returns nothing', await sync(context, insights));
      context.say(`reported ${insights.policyReports.length} outcomes to Insights`);
      return '/system';
    } finally {
      await insights.stop();
    }
  },
};

async function sync(context: SceneContext, insights: InsightsStandIn): Promise<SyncResult> {
  const options = {
    config: readSyncConfig(insights.env),
    connection: context.connection,
    lock: 'lease',
    ...localInstallation,
    env: {},
    temporaryDir: context.folder,
    log: silentLogger,
    output: { line: () => undefined, diff: () => undefined },
  } as const;
  const program = createSyncProgram(options);
  try {
    return await recordedRun(program, options)(context.signal);
  } finally {
    await program.close();
  }
}

function sayCounts({ say }: SceneContext, title: string, { applied, updated, removed, failed }: SyncResult): void {
  const parts = Object.entries({ applied, updated, removed }).flatMap(([word, operations]) =>
    operations.length === 0 ? [] : [`${word} ${operations.map(({ ref }) => ref.name).join(', ')}`],
  );
  for (const { reason } of failed) parts.push(`refused: ${reason}`);
  say(`${title}: ${parts.join('; ') || 'nothing to do'}`);
}

/** Installs the policy kind if no feature has done so. */
async function definePolicies({ connection: { client, discovery }, signal }: SceneContext): Promise<void> {
  const isServed = async () => (await discovery.byKind('kyverno.io/v1/ClusterPolicy', { signal })) !== undefined;
  if (await isServed()) return;
  const type = (await discovery.byKind('apiextensions.k8s.io/v1/CustomResourceDefinition', { signal }))!;
  const wanted = customResourceDefinitions(localInstallation.installation).filter(
    ({ metadata }) => metadata.name === 'clusterpolicies.kyverno.io',
  );
  for (const definition of wanted) {
    try {
      await client.create(type, definition, { signal });
    } catch (thrown) {
      if (!isKubeError(thrown, 'kube-already-exists')) throw thrown;
    }
  }
  for (discovery.invalidate(); !(await isServed()); discovery.invalidate()) await systemClock.sleep(20, signal);
}
