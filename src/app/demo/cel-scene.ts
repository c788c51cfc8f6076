import type { ResourceType } from '../../kube/index.ts';
import type { KubeObject } from '../../object/index.ts';
import { createOnce, pod, refusalOf, untilReady } from './cluster-steps.ts';
import type { Scene } from './scene.ts';

const policies: ResourceType = {
  group: 'policies.kyverno.io',
  version: 'v1',
  resource: 'validatingpolicies',
  kind: 'ValidatingPolicy',
  namespaced: false,
};

const expression = '!object.spec.?hostNetwork.orValue(false)';
const policy: KubeObject = {
  apiVersion: 'policies.kyverno.io/v1',
  kind: 'ValidatingPolicy',
  metadata: { name: 'no-host-network' },
  spec: {
    validationActions: ['Deny'],
    // Derived for controllers, its condition would read the name of a pod template, which has none.
    autogen: { podControllers: { controllers: [] } },
    matchConstraints: {
      resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['pods'] }],
    },
    matchConditions: [
      {
        name: 'demo',
        expression: "object.metadata.namespace == 'default' && object.metadata.name.startsWith('demo-')",
      },
    ],
    validations: [
      { expression, messageExpression: "'pod ' + object.metadata.name + ' asks for the network of its node'" },
    ],
  },
};

/** A policy in CEL denies a pod, beside the classic policies. */
export const celScene: Scene = {
  title: 'A policy in CEL runs beside the classic ones',
  needs: ['admission'],
  async play(context) {
    await createOnce(context, policies, policy);
    await untilReady(context, policies, 'no-host-network');
    context.say(`created validatingpolicy/no-host-network: ${expression}`);
    const refusal = await refusalOf(context, pod('demo-host', 'nginx:1.29', { hostNetwork: true }));
    context.say('creating pod/demo-host with hostNetwork is refused:');
    for (const line of refusal.split('\n').filter((text) => text.trim() !== '')) context.say(`  ${line.trimEnd()}`);
    context.say(`try an expression: ${context.program} cel '${expression}' -r POD.yaml`);
    return '/?q=demo-host';
  },
};
