import { gvkOf, type KubeObject } from '../../src/object/index.ts';
import {
  compileException,
  compilePolicy,
  createEvaluation,
  type ExceptionProgram,
  type PolicyProgram,
} from '../../src/policy/index.ts';
import { reportName } from '../../src/report/index.ts';
import { nameOf, type ReportFixture, resultsOf, types } from './report-fixture.ts';

/** What reports shall say: worked out from nothing but what is in the cluster, without an index, a watch or a memory. */
export async function expectedReports({ client }: ReportFixture, isSplit: boolean): Promise<Record<string, string[]>> {
  const list = async (type: (typeof types)[keyof typeof types]) => (await client.list<KubeObject>(type)).items;
  const programs: PolicyProgram[] = [];
  for (const policy of [...(await list(types.clusterPolicy)), ...(await list(types.policy))]) {
    const { program } = compilePolicy(policy);
    if (program?.settings.background) programs.push(program);
  }
  const exceptions: ExceptionProgram[] = [];
  for (const exception of await list(types.exception)) {
    const { program } = compileException(exception);
    if (program) exceptions.push(program);
  }
  const labels = new Map((await list(types.namespaces)).map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const resources = [...(await list(types.pods)), ...(await list(types.configMaps)), ...(await list(types.namespaces))];
  const expected: Record<string, string[]> = {};
  for (const object of resources) {
    const { namespace = '', name = '', uid = '' } = object.metadata;
    for (const program of programs) {
      const request = {
        operation: 'CREATE' as const,
        kind: gvkOf(object),
        subresource: '',
        object,
        namespaceLabels: labels.get(namespace) ?? {},
        uid,
        now: 0,
      };
      const evaluation = createEvaluation([program], request, { phase: 'validate', exceptions });
      if (evaluation.advance(new Map()).length > 0) throw new Error('the oracle looks nothing up');
      for (const { status, message, rule } of evaluation.results) {
        const { kind, metadata } = program.policy;
        const report = reportName({
          namespace,
          policy: isSplit ? { kind: kind as 'Policy', name: metadata.name ?? '' } : undefined,
        });
        const key = namespace === '' ? report : `${namespace}/${report}`;
        (expected[key] ??= []).push(lineOf(program.key, rule.name, status, message, object.kind, name, uid));
      }
    }
  }
  for (const lines of Object.values(expected)) lines.sort();
  return expected;
}

/** What our reports say, parts of one put together. */
export async function actualReports(fixture: ReportFixture): Promise<Record<string, string[]>> {
  const actual: Record<string, string[]> = {};
  for (const report of Object.values(await fixture.reports())) {
    if (report.metadata.labels?.['supercargo.dev/owner'] !== 'supercargo') continue;
    const key = nameOf(report).replace(/\.sc-((?:h[0-9a-f]{16})?p?)c[01]+$/, (_, rest) => (rest ? `.sc-${rest}` : ''));
    const lines = (actual[key] ??= []);
    for (const { policy, rule, result, message = '', resources } of resultsOf(report)) {
      const [{ kind, name, uid }] = resources as unknown as readonly [{ kind: string; name: string; uid: string }];
      lines.push(lineOf(policy, rule, result, String(message), kind, name, uid));
    }
  }
  for (const lines of Object.values(actual)) lines.sort();
  return actual;
}

function lineOf(...parts: readonly string[]): string {
  return parts.join(' | ');
}
