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
import type { Scene } from './scene.ts';

const policy = `apiVersion: kyverno.io/v1
kind: ClusterPolicy
metadata:
  name: images-are-pinned
spec:
  validationFailureAction: Enforce
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
  page: () => '/results',
  async play({ say, signal }) {
    // Nothing is written to the disk.
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
    say('the same for your own files: bin/supercargo explain POLICY… -r RESOURCE…');
  },
};
