import type { Clock } from '../base/index.ts';
import type { ExplainNode, ExplainRule, ExplainSubject } from '../dashboard/index.ts';
import type { RuleExplanation, TreeNode } from '../offline/index.ts';
import {
  compileException,
  compilePolicy,
  confineException,
  type ExceptionProgram,
  type LookUp,
  type LookUpAnswer,
  newRequestBudget,
  type PolicyProgram,
  type PolicyRequest,
} from '../policy/index.ts';
import { createEvaluationTurns, evaluate, exceptionsCountForAll } from '../runtime/index.ts';

interface ExplainRuleOptions {
  readonly exceptionNamespaces: readonly string[];
  readonly clock: Clock;
}

const noLookUps = 'an explanation looks nothing up';
const maxNodes = 1_000;
const maxDepth = 20;
const maxLabel = 1_000;
const maxDetail = 8_000;

/** Explains a rule on an object of the cluster as reports judge it: as if it were created now, without a user. */
export function createExplainRule({ exceptionNamespaces, clock }: ExplainRuleOptions): ExplainRule {
  const turns = createEvaluationTurns();
  return async (subject, signal) => {
    const { object, policy } = subject;
    const { program } = compilePolicy(policy);
    // Rules of the kinds that consist of expressions have no name of their own.
    const rule = program?.rules.find(({ name }) => name === subject.rule || program.form === 'cel');
    if (!program || !rule) return undefined;
    const lookedUp = new Set<string>();
    const answer = async (lookUp: LookUp): Promise<LookUpAnswer> => {
      if (lookUp.kind === 'namespace') return { ok: true, value: subject.namespace ?? null };
      lookedUp.add(nameOf(lookUp));
      return { ok: false, message: noLookUps } as const;
    };
    const request = requestOf(subject, clock.now());
    const { results, silent } = await evaluate([program], request, {
      phase: rule.phase,
      exceptions: exceptionsFor(subject, exceptionNamespaces),
      explain: true,
      lookUps: { answer },
      signal,
      turns,
      budget: newRequestBudget(),
    });
    const { explainResponse, explanationTree } = await import('../offline/index.ts');
    const { namespaceLabels } = request;
    const rules = results.map((result) => ({ result, object }));
    const response = { resource: object, rules, silent, object, namespaceLabels, request };
    const only: PolicyProgram = { ...program, rules: [rule] };
    const explained = explainResponse({ policies: { programs: [only] } }, { response, file: '', line: 0 });
    const [explanation] = explained.rules;
    const tree = explanationTree(explained, true).children[0]?.children[0];
    if (!explanation || !tree) return undefined;
    const root = nodeOf(tree);
    const notes = notesOf(subject, lookedUp);
    const result = resultOf(explanation, program);
    const message = cut(explanation.message.trim(), maxDetail);
    return { result, message, tree: { ...root, children: [...notes, ...root.children] } };
  };
}

/** As reports say it: failures of a policy that is not scored are warnings. */
function resultOf({ status }: RuleExplanation, { policy }: PolicyProgram) {
  if (status === 'no match' || status === 'silent') return 'skip';
  return status === 'fail' && policy.metadata.annotations?.['policies.kyverno.io/scored'] === 'false' ? 'warn' : status;
}

function requestOf({ object, type, namespace }: ExplainSubject, now: number): PolicyRequest {
  const { group, version, kind, resource } = type;
  return {
    operation: 'CREATE',
    kind: { group, version, kind, resource },
    subresource: '',
    object,
    namespaceLabels: namespace?.metadata.labels ?? {},
    uid: object.metadata.uid ?? '',
    now,
  };
}

/** Exceptions count as they do in the cluster. */
function exceptionsFor({ exceptions = [] }: ExplainSubject, forAll: readonly string[]): readonly ExceptionProgram[] {
  return exceptions.flatMap((exception) => {
    const { program } = compileException(exception);
    if (!program) return [];
    const { namespace = 'default' } = exception.metadata;
    return [exceptionsCountForAll(forAll, namespace) ? program : confineException(program, namespace)];
  });
}

function notesOf(
  { exceptions, exceptionsAreSome, namespace, object }: ExplainSubject,
  lookedUp: ReadonlySet<string>,
): ExplainNode[] {
  return [
    ...[...lookedUp].slice(0, 20).map((name) => note(`not looked up: ${name}; ${noLookUps}`)),
    ...(exceptions ? [] : [note('exceptions were not considered: the dashboard cannot list them')]),
    ...(exceptions && exceptionsAreSome
      ? [note('of exceptions those were considered that are in namespaces whose PolicyReports you may list')]
      : []),
    ...(namespace || object.metadata.namespace === undefined
      ? []
      : [note('labels of the namespace were not considered: the dashboard cannot list namespaces')]),
  ];
}

const note = (label: string): ExplainNode => ({ label, status: 'info', children: [] });

/** What a rule looks up, without its data and headers. */
function nameOf(lookUp: LookUp): string {
  switch (lookUp.kind) {
    case 'configMap':
      return `ConfigMap ${lookUp.namespace}/${lookUp.name}`;
    case 'apiCall':
      return cut(`${lookUp.method} ${lookUp.urlPath}`, 200);
    case 'serviceCall':
      return 'a call of a service';
    case 'imageData':
      return cut(`image ${lookUp.reference}`, 200);
    case 'globalContext':
      return cut(`global context ${lookUp.name}`, 200);
    case 'namespace':
      return cut(`namespace ${lookUp.name}`, 200);
    case 'schema':
      return cut(`the schema of ${lookUp.apiVersion} ${lookUp.resourceKind}`, 200);
    case 'resourceName':
    case 'resources':
      return cut(`objects of ${lookUp.apiVersion} ${lookUp.resourceKind}`, 200);
  }
}

const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

const statuses = { yes: 'pass', no: 'fail', off: 'skip', note: 'info' } as const;

/** Bounded: a rule may loop over a long list. */
function nodeOf(root: TreeNode): ExplainNode {
  let left = maxNodes;
  const render = ({ state, text, lines, children }: TreeNode, depth: number): ExplainNode => {
    left--;
    const shown: ExplainNode[] = [];
    for (const child of children) {
      if (left <= 0 || depth >= maxDepth) {
        shown.push(note(`${children.length - shown.length} more are left out`));
        break;
      }
      shown.push(render(child, depth + 1));
    }
    return {
      label: cut(text, maxLabel),
      status: statuses[state],
      ...(lines ? { detail: cut(lines.join('\n'), maxDetail) } : {}),
      children: shown,
    };
  };
  return render(root, 0);
}
