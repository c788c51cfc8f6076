import { parseYaml } from '../../base/index.ts';
import type { KubeObject } from '../../object/index.ts';
import {
  evaluateFiles,
  explainResponse,
  explanationTree,
  loadSetup,
  memoryFiles,
  openApplication,
  painter,
  renderTree,
} from '../../offline/index.ts';
import { policyTypes } from '../../runtime/index.ts';
import { createOnce, deployments } from './cluster-steps.ts';
import type { Scene } from './scene.ts';

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: images-are-pinned
spec:
  validationFailureAction: Audit
  rules:
    - name: no-latest
      match:
        any:
          - resources:
              kinds: [Pod]
      validate:
        message: The tag latest means something else tomorrow.
        foreach:
          - list: request.object.spec.containers
            pattern:
              image: "!*:latest"
`;

const manifest = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  namespace: default
spec:
  selector: { matchLabels: { app: shop } }
  template:
    metadata: { labels: { app: shop } }
    spec:
      containers:
        - { name: web, image: "nginx:1.29" }
        - { name: proxy, image: "envoyproxy/envoy:latest" }
`;

/** A policy on pods is evaluated on a Deployment, with an explanation. */
export const policyScene: Scene = {
  title: 'A policy is evaluated on a manifest, and explains its result',
  async play(context) {
    const { say, signal } = context;
    const files = memoryFiles({ 'policy.yaml': policy, 'deployment.yaml': manifest });
    const application = openApplication(
      loadSetup({ files, policies: ['policy.yaml'], now: Date.now(), explain: true }),
    );
    say('policy images-are-pinned is written for pods; deployment/shop is evaluated by the rule derived from it');
    for await (const evaluated of evaluateFiles(application, files, ['deployment.yaml'], signal)) {
      const { rules, ...where } = explainResponse(application, evaluated);
      const shown = { ...where, rules: rules.filter(({ status }) => status !== 'no match') };
      for (const line of renderTree(explanationTree(shown, true), painter(false)).trimEnd().split('\n')) say(line);
    }
    say(`the same for your own files: ${context.program} explain POLICY… -r RESOURCE…`);
    // Until then no cluster is needed. The page explains what is in one.
    if (context.page === undefined) return undefined;
    await createOnce(context, policyTypes.clusterPolicy, parseYaml(policy) as unknown as KubeObject);
    await createOnce(context, deployments, parseYaml(manifest) as unknown as KubeObject);
    say('created clusterpolicy/images-are-pinned, which only audits, and deployment/shop: the page explains the same');
    const explained = ['images-are-pinned', 'autogen-no-latest', 'apps/v1', 'Deployment', 'default', 'shop'];
    return `/results?by=none&explain=${explained.map(encodeURIComponent).join('~')}`;
  },
};
