/**
 * Ten typical policy expressions, compiled once: operations a second of ours and of @jmespath-community/jmespath,
 * and the ratio. Run with: npx tsx bench/jmespath.ts
 */
import { compile as compileReference, TreeInterpreter } from '@jmespath-community/jmespath';
import { compile, Scope } from '../src/jmespath/index.ts';

const container = (n: number) => ({
  name: `c${n}`,
  image: n % 2 === 0 ? `ghcr.io/org/app:${n}` : 'nginx:latest',
  resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
  securityContext: { privileged: n === 3, capabilities: { add: ['NET_ADMIN'], drop: ['ALL'] } },
  ports: [{ containerPort: 8080 + n, protocol: 'TCP' }],
});
const document = {
  request: {
    operation: 'CREATE',
    userInfo: { username: 'system:serviceaccount:prod:deployer', groups: ['system:authenticated', 'ops'] },
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'web-1',
        namespace: 'prod',
        labels: { app: 'web', tier: 'front', 'app.kubernetes.io/name': 'web' },
      },
      spec: { containers: [0, 1, 2, 3, 4].map(container), hostNetwork: false, volumes: [{ name: 'v', emptyDir: {} }] },
    },
  },
};

const expressions = [
  'request.object.metadata.name',
  'request.object.metadata.labels."app.kubernetes.io/name"',
  "request.object.metadata.annotations.owner || 'nobody'",
  'request.object.spec.containers[*].image',
  'request.object.spec.containers[?securityContext.privileged == `true`].name',
  'request.object.spec.containers[].securityContext.capabilities.add[]',
  "length(request.object.spec.containers[?contains(image, ':latest')])",
  "contains(request.userInfo.groups, 'ops') && request.operation == 'CREATE'",
  'request.object.{name: metadata.name, images: spec.containers[*].image}',
  "join(',', sort(request.object.spec.containers[*].name))",
];

class Root extends Scope {
  get(key: string): unknown {
    return key === 'request' ? document.request : undefined;
  }
  keys(): Iterable<string> {
    return ['request'];
  }
}

// CPU time, not the clock on the wall: the figures hold on a busy machine too.
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function opsPerSecond(work: () => unknown): number {
  const runFor = (ms: number): number => {
    let count = 0;
    const start = cpuMs();
    let elapsed = 0;
    do {
      for (let i = 0; i < 1000; i++) work();
      count += 1000;
      elapsed = cpuMs() - start;
    } while (elapsed < ms);
    return (count * 1000) / elapsed;
  };
  runFor(150);
  return Math.max(runFor(200), runFor(200), runFor(200));
}

const scope = new Root();
let product = 1;
for (const expression of expressions) {
  const program = compile(expression);
  const tree = compileReference(expression);
  const ours = opsPerSecond(() => program.evaluate(document));
  const scoped = opsPerSecond(() => program.evaluate(scope));
  const theirs = opsPerSecond(() => TreeInterpreter.search(tree, document));
  product *= ours / theirs;
  const show = (n: number) => Math.round(n).toLocaleString('en').padStart(12);
  console.log(
    `${show(ours)} ${show(scoped)} scoped ${show(theirs)} theirs ${(ours / theirs).toFixed(1).padStart(6)}x  ${expression}`,
  );
}
console.log(`geometric mean ${(product ** (1 / expressions.length)).toFixed(1)}x`);
const compiled = opsPerSecond(() => compile(expressions[4] as string));
console.log(`compiling ${expressions[4]}: ${Math.round(compiled).toLocaleString('en')}/s`);
