import { type Fields, isUnset, listIn, objectIn, stringIn } from '../value.ts';
import { type Defaulter, fill, within } from './fill.ts';

const apps = 'io.k8s.api.apps.v1.';

const deploymentSpec: Defaulter = (object) => {
  const filled = fill(object, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 });
  return within(filled, 'strategy', (given) => {
    const strategy = fill(given, { type: 'RollingUpdate' });
    if (strategy['type'] !== 'RollingUpdate') return strategy;
    return within(strategy, 'rollingUpdate', (rolling) => fill(rolling, { maxUnavailable: '25%', maxSurge: '25%' }));
  });
};

const daemonSetSpec: Defaulter = (object) =>
  within(fill(object, { revisionHistoryLimit: 10 }), 'updateStrategy', (given) => {
    const strategy = fill(given, { type: 'RollingUpdate' });
    if (strategy['type'] !== 'RollingUpdate') return strategy;
    return within(strategy, 'rollingUpdate', (rolling) => fill(rolling, { maxUnavailable: 1, maxSurge: 0 }));
  });

const statefulSetSpec: Defaulter = (object) => {
  const filled = fill(object, { podManagementPolicy: 'OrderedReady', replicas: 1, revisionHistoryLimit: 10 });
  const strategic = within(filled, 'updateStrategy', (given) => {
    // A strategy of this type that was named without parameters stays without them.
    const isUnnamed = stringIn(given, 'type') === '';
    const strategy = isUnnamed ? { ...given, type: 'RollingUpdate' } : given;
    if (stringIn(strategy, 'type') !== 'RollingUpdate') return strategy;
    if (!isUnnamed && isUnset(strategy['rollingUpdate'])) return strategy;
    return within(strategy, 'rollingUpdate', (rolling) => fill(rolling, { partition: 0 }));
  });
  return within(claimTemplates(strategic), 'persistentVolumeClaimRetentionPolicy', (policy) =>
    fill(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  );
};

const claimTemplates: Defaulter = (spec) => {
  const claims = listIn(spec, 'volumeClaimTemplates') as readonly Fields[];
  const typed = claims.map((claim) => fill(claim, { apiVersion: 'v1', kind: 'PersistentVolumeClaim' }));
  return typed.some((claim, i) => claim !== claims[i]) ? { ...spec, volumeClaimTemplates: typed } : spec;
};

const jobSpec: Defaulter = (object) => {
  const isSingle = isUnset(object['completions']) && isUnset(object['parallelism']);
  return fill(object, {
    ...(isSingle ? { completions: 1 } : {}),
    parallelism: 1,
    backoffLimit: isUnset(object['backoffLimitPerIndex']) ? 6 : 2 ** 31 - 1,
    completionMode: 'NonIndexed',
    suspend: false,
    podReplacementPolicy: isUnset(object['podFailurePolicy']) ? 'TerminatingOrFailed' : 'Failed',
  });
};

/** Only a Job itself: the template of a CronJob gets neither its template's labels nor a manual selector. */
const job: Defaulter = (object) => {
  const spec = objectIn(object, 'spec');
  const labels = objectIn(objectIn(objectIn(spec, 'template'), 'metadata'), 'labels');
  const own = objectIn(objectIn(object, 'metadata'), 'labels');
  const isLabelled = own !== undefined && Object.keys(own).length > 0;
  const named = labels && !isLabelled ? within(object, 'metadata', (metadata) => ({ ...metadata, labels })) : object;
  return within(named, 'spec', (given) => fill(jobSpec(given), { manualSelector: false }));
};

const autoscalerSpec: Defaulter = (object) => {
  const filled = fill(object, { minReplicas: 1 });
  const measured =
    listIn(filled, 'metrics').length > 0
      ? filled
      : {
          ...filled,
          metrics: [
            {
              type: 'Resource',
              resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
            },
          ],
        };
  if (!objectIn(measured, 'behavior')) return measured;
  return within(measured, 'behavior', (behavior) =>
    within(
      within(behavior, 'scaleUp', (rules) =>
        fill(rules, {
          stabilizationWindowSeconds: 0,
          selectPolicy: 'Max',
          policies: [
            { type: 'Pods', value: 4, periodSeconds: 15 },
            { type: 'Percent', value: 100, periodSeconds: 15 },
          ],
        }),
      ),
      'scaleDown',
      (rules) => fill(rules, { selectPolicy: 'Max', policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }] }),
    ),
  );
};

export const workloadDefaulters: Readonly<Record<string, Defaulter>> = {
  [`${apps}DeploymentSpec`]: deploymentSpec,
  [`${apps}DaemonSetSpec`]: daemonSetSpec,
  [`${apps}StatefulSetSpec`]: statefulSetSpec,
  'io.k8s.api.batch.v1.Job': job,
  'io.k8s.api.autoscaling.v2.HorizontalPodAutoscalerSpec': autoscalerSpec,
};
