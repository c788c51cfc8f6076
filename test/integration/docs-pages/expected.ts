/** What commands of the pages do other than end with exit code 0. Each entry is used, or the test fails. */
export interface Expectation {
  /** The exit code; 0 without it. */
  readonly code?: number;
  /** What it prints. */
  readonly shows?: RegExp;
  /** It does not end by itself: it is interrupted when it has printed this, and then ends with `code`. */
  readonly until?: RegExp;
  /** Why the line is not run here. */
  readonly notRun?: string;
  /** The page that has the same line, and whose test runs it. */
  readonly sameAs?: string;
}

const npmRegistry = 'needs the registry of npm; test/e2e/package.test.ts runs the package that npm pack writes';
const dockerHub = 'needs docker.io; test/e2e/mirror-up.test.ts does the same with a registry of its own';

export const expected: Readonly<Record<string, Readonly<Record<string, Expectation>>>> = {
  'README.md': {
    'npm start': { notRun: 'is the demo, which test/e2e/cli.test.ts runs' },
    'npm test': { notRun: 'is what runs this test' },
    'bin/supercargo kubectl get pods -o wide': { shows: /^privileged +/m },
    'npm run image -- --push "$REGISTRY/supercargo:0.1.0"': { sameAs: 'docs/install.md' },
    'helm install supercargo charts/supercargo --namespace supercargo --create-namespace --wait --set image.registry="$REGISTRY",image.repository=supercargo,image.tag=0.1.0':
      { sameAs: 'docs/install.md' },
    // Simulated pods lead nothing and issue no certificate.
    'bin/supercargo check --as-installed': { code: 1, shows: /^fail +leases /m },
    'bin/supercargo up --dir ~/.supercargo --no-demo': { until: /KUBECONFIG/ },
    'bin/supercargo apply policies/ -r manifests/': { shows: /pass: 1, fail: 0/ },
    'bin/supercargo explain policy.yaml -r pod.yaml': { shows: /✓ rule no-latest: pass/ },
    'bin/supercargo report -A': { shows: /^require-owner +\d+/m },
  },
  'docs/admission.md': {
    'bin/supercargo kubectl wait --for=condition=Ready clusterpolicy/my-policy': { shows: /condition met/ },
  },
  'docs/cel.md': {
    'supercargo apply dockerfile-policy.yaml --json dockerfile.json': { code: 1, shows: /an image needs a user/ },
    'supercargo cel "1 + \'a\'"': { code: 2 },
  },
  'docs/ci.md': {
    'supercargo test policies/ -o markdown --fail-only': { shows: /1 passed, 0 failed/ },
    'helm template chart/ | supercargo apply policies/ -r -': { shows: /pass: 1, fail: 0/ },
    'supercargo report -A --exit-code': { shows: /^require-owner +1 +0/m },
    'npm install --global ./tools/supercargo-0.1.0.tgz': { notRun: npmRegistry },
  },
  'docs/dashboard.md': {
    'supercargo install --features admission,report,dashboard': { shows: /name: supercargo-dashboard/ },
  },
  'docs/detection.md': {
    'bin/supercargo scan policy.yaml': { shows: /v1\.0\.0/ },
    'bin/supercargo render template.yaml --image registry.example/webapp/frontend:dev-v1.2.0 --prefix dev --against ../manifests':
      { code: 1, shows: /^\+ +image: registry\.example\/webapp\/frontend:dev-v1\.2\.0/m },
  },
  'docs/images.md': {
    'bin/supercargo mirror nginx:1.27 quay.io/prometheus/prometheus:v3.1.0 --to registry.example/mirror': {
      shows: /prometheus/,
    },
  },
  'docs/migrating.md': {
    'supercargo apply policies/ -r manifests/ --detailed': { shows: /owner +pass/ },
    'supercargo apply policies/ --cluster -n shop': { shows: /pass: 1, fail: 0/ },
    'supercargo scan examples/detection/any-registry.yaml': { shows: /v1\.2\.0/ },
  },
  'docs/mirroring.md': {
    'kubectl label namespace default image-clone-controller=enabled': { notRun: dockerHub },
    'kubectl create deployment web --image=nginx:1.27': { notRun: dockerHub },
    "kubectl get deployment web -o jsonpath='{.spec.template.spec.containers[0].image}'": { notRun: dockerHub },
    'kubectl get mirroredimages': { notRun: dockerHub },
    // The image of the installation itself cannot be had here.
    'bin/supercargo mirror --cluster --to registry.example/copies --dry-run': {
      code: 1,
      shows: /team-a\/web:v1\.0\.0/,
    },
    'bin/supercargo mirror --cluster --namespace shop --to registry.example/copies': { shows: /team-a\/web:v1\.0\.0/ },
  },
  'docs/operations.md': {
    // Simulated pods lead nothing and issue no certificate.
    'supercargo check --as-installed': { code: 1, shows: /^fail +leases /m },
    'supercargo version': { shows: /^supercargo +supercargo-policies +2\/2/m },
    'supercargo config print --changed --config supercargo.yaml': { shows: /^logLevel +debug/m },
    'supercargo report -A': { shows: /^disallow-privileged-containers +1 +1/m },
    'supercargo scan image-policy.yaml --all': { shows: /v1\.0\.0/ },
    'supercargo mirror --cluster --to registry.example/copies --dry-run': { shows: /team-a\/web:v1\.0\.0/ },
    'kubectl logs -n supercargo -l app.kubernetes.io/name=supercargo': { shows: /container supercargo/ },
  },
  'docs/policies.md': {
    'kubectl get pods -A -o json | bin/supercargo apply policies/ -r -': { shows: /^pass: 0, fail: 0/m },
    'supercargo jp "length(\'a"': { code: 2 },
  },
  'docs/reports.md': {
    'bin/supercargo run --features report --namespace supercargo --config supercargo.yaml': {
      until: /Started leading/,
    },
    'bin/supercargo up': { until: /KUBECONFIG/ },
    'bin/supercargo report -n shop --severity critical,high --exit-code': { shows: /^require-owner +1 +0/m },
    'bin/supercargo report -n shop --by resource --result fail': {},
    'bin/supercargo report -A --by severity --watch': { until: /^SEVERITY/m },
    'bin/supercargo report -A -o sarif': { shows: /disallow-privileged-containers/ },
  },
};
