/**
 * The checks of `supercargo check`: whether a cluster is fit for an installation, and whether an installation works.
 * They change nothing: writes are dry runs.
 */

import { setMaxListeners } from 'node:events';
import { findKyverno } from '../../runtime/index.ts';
import { policyFeatures } from '../config.ts';
import { checkCertificates } from './certificates.ts';
import { type CheckLine, fail, guarded, pass, warn } from './check-line.ts';
import { checkDefinitions } from './definitions.ts';
import { checkLeases } from './leases.ts';
import { checkMirror } from './mirror.ts';
import { checkPermissions } from './permissions.ts';
import { checkVersion } from './server-version.ts';
import { type CheckOptions, readSituation, type Situation } from './situation.ts';
import { checkWebhooks } from './webhooks.ts';

export type { CheckLine } from './check-line.ts';

export async function checkCluster(options: CheckOptions): Promise<readonly CheckLine[]> {
  // One signal ends all requests; many listeners are not a leak here.
  const signal = AbortSignal.any([options.signal]);
  setMaxListeners(0, signal);
  const situation = await readSituation({ ...options, signal });
  const lines = await Promise.all([
    [checkVersion(options.connection.version, situation.features)],
    guarded('permissions', () => checkPermissions(situation)),
    guarded('definitions', () => checkDefinitions(situation)),
    guarded('kyverno', () => checkKyverno(situation)),
    checkDeployments(situation),
    guarded('webhooks', () => checkWebhooks(situation)),
    guarded('certificates', () => checkCertificates(situation)),
    checkMirror(situation),
    guarded('leases', () => checkLeases(situation)),
  ]);
  return lines.flat();
}

async function checkKyverno({ connection, config, features, signal }: Situation): Promise<readonly CheckLine[]> {
  const check = 'kyverno';
  const reason = await findKyverno(connection.client, signal);
  if (reason === undefined) return [pass(check, 'Kyverno does not run here: all policies of the cluster count')];
  if (config.policies.selector || !features.some((name) => policyFeatures.has(name)))
    return [pass(check, `Kyverno runs here (${reason}): only the policies of policies.selector count`)];
  return [
    warn(
      check,
      `Kyverno runs here (${reason}): no policy counts until some are selected`,
      'set policies.selector: see docs/migrating.md',
    ),
  ];
}

function checkDeployments({ deployments, installation, namespace }: Situation): readonly CheckLine[] {
  if (deployments === undefined)
    return [
      warn(
        'installation',
        `not checked: this account may not list Deployments in namespace ${namespace}`,
        'use an account that may read this',
      ),
    ];
  if (deployments.length === 0)
    return [pass('installation', `there is no Deployment of ${installation} in namespace ${namespace}`)];
  return deployments.map(({ name, replicas, readyReplicas }) => {
    const [check, found] = [`deployment ${name}`, `${readyReplicas} of ${replicas} replicas are ready`];
    const remedy = `kubectl -n ${namespace} describe pods says why`;
    if (readyReplicas === 0) return fail(check, found, remedy);
    return readyReplicas < replicas ? warn(check, found, remedy) : pass(check, found);
  });
}
