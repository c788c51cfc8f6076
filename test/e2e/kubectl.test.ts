/**
 * The commands of kubectl that people use, typed at the built program. Every expectation here is what kubectl prints
 * against a real cluster; only the node and the log are ours.
 */
import { describe } from 'vitest';
import { defineApplying } from './kubectl/applying.ts';
import { defineChanging } from './kubectl/changing.ts';
import { defineCreating } from './kubectl/creating.ts';
import { defineCustomResources } from './kubectl/custom-resources.ts';
import { defineDeleting } from './kubectl/deleting.ts';
import { defineDescribing } from './kubectl/describing.ts';
import { defineDiscovering } from './kubectl/discovering.ts';
import { defineLogsAndEvents, defineNodes } from './kubectl/logs-events.ts';
import { defineReading } from './kubectl/reading.ts';
import { defineRollouts } from './kubectl/rollouts.ts';
import { useSession } from './kubectl/session.ts';

const session = useSession();

const areas = {
  'kubectl rollout': defineRollouts,
  'kubectl delete and wait': defineDeleting,
  'kubectl get': defineReading,
  'kubectl describe': defineDescribing,
  'kubectl apply and diff': defineApplying,
  'kubectl create and replace': defineCreating,
  'kubectl edit, patch, label, set and scale': defineChanging,
  'kubectl and custom resources': defineCustomResources,
  'kubectl logs and events': defineLogsAndEvents,
  'kubectl and the API itself': defineDiscovering,
};

for (const [name, define] of Object.entries(areas))
  describe.concurrent(name, { timeout: 60_000 }, () => define(session));

// After the others, not beside them.
describe('kubectl cordon and drain', { timeout: 60_000 }, () => defineNodes(session));
