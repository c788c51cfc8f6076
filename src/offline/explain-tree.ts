import { renderJson } from '../base/index.ts';
import type { FilterExplanation, TraceStep } from '../policy/index.ts';
import type { Explanation, RuleExplanation } from './explain.ts';

/** `yes`: a check that holds, `no`: one that decided against the resource, `off`: does not apply, `note`: neither. */
export type NodeState = 'yes' | 'no' | 'off' | 'note';

/** A line of an explanation, with its children. */
export interface TreeNode {
  readonly state: NodeState;
  readonly text: string;
  readonly children: readonly TreeNode[];
  /** Lines shown unchanged: a diff. */
  readonly lines?: readonly string[];
}

const maxValueLength = 240;

const node = (state: NodeState, text: string, children: readonly TreeNode[] = []): TreeNode => ({
  state,
  text,
  children,
});

/** An explanation as a tree. Rules derived for other kinds are omitted unless all are requested. */
export function explanationTree({ resource, file, line, rules }: Explanation, isDetailed: boolean): TreeNode {
  const shown = rules.filter(({ isDerived, status }) => isDetailed || status !== 'no match' || !isDerived);
  const policies = [...new Set(shown.map(({ policy }) => policy))];
  return node(
    'note',
    `${resource} (${file === '-' ? 'standard input' : file}:${line})`,
    policies.flatMap((policy) => {
      const own = shown.filter((rule) => rule.policy === policy);
      // A policy without rules is one itself.
      if (own.every(({ rule }) => rule === '')) return own.map((rule) => ruleTree(rule, `policy ${policy}`));
      return [
        node(
          'note',
          `policy ${policy}`,
          own.map((rule) => ruleTree(rule, `rule ${rule.rule}`)),
        ),
      ];
    }),
  );
}

const ruleStates: Readonly<Record<RuleExplanation['status'], NodeState>> = {
  pass: 'yes',
  fail: 'no',
  error: 'no',
  skip: 'off',
  silent: 'off',
  'no match': 'off',
};

function ruleTree(rule: RuleExplanation, title: string): TreeNode {
  const isMatched = rule.status !== 'no match';
  const children = isMatched
    ? [...matchedBy(rule.filters), ...stepTrees(rule.steps), ...outcomeTrees(rule)]
    : notMatchedBy(rule);
  return node(ruleStates[rule.status], `${title}: ${rule.status}`, children);
}

function outcomeTrees({
  status,
  message,
  path,
  diff,
  targets = [],
  generated = [],
}: RuleExplanation): readonly TreeNode[] {
  const state = ruleStates[status];
  return [
    ...(message === '' ? [] : [node(state, `${status}: ${message.trim()}`)]),
    ...(path === undefined || message.includes(path) ? [] : [node('note', `decided at ${path}`)]),
    ...(diff === undefined ? [] : [{ ...node('note', 'changes'), lines: diff.split('\n') }]),
    ...targets.map(({ resource }) => node('yes', `changes ${resource}`)),
    ...generated.map(({ resource }) => node('yes', `generates ${resource}`)),
  ];
}

const isExclude = ({ where }: FilterExplanation) => where.startsWith('exclude');

/** For a rule that matches: the first filter that matches; for `all`, every filter. */
function matchedBy(filters: readonly FilterExplanation[]): readonly TreeNode[] {
  const matching = filters.filter((filter) => !isExclude(filter) && filter.matches);
  return (matching[0]?.where.startsWith('match.all') ? matching : matching.slice(0, 1)).map(filterTree);
}

/** For a rule that does not match: only the filters that exclude the resource. */
function notMatchedBy({ filters, message }: RuleExplanation): readonly TreeNode[] {
  const isExcluded = message === 'excluded';
  const deciding = filters.filter((filter) =>
    isExcluded ? isExclude(filter) && filter.matches : !isExclude(filter) && !filter.matches,
  );
  return deciding.length > 0
    ? deciding.map((filter) => ({ ...filterTree(filter), state: 'off' }))
    : [node('off', message)];
}

function filterTree({ where, matches, parts }: FilterExplanation): TreeNode {
  const deciding = matches ? parts : parts.filter((part) => !part.matches);
  const said = deciding.map(
    ({ field, wanted, found }) => `${field} ${show(wanted)} ${matches ? 'matches' : 'does not match'} ${show(found)}`,
  );
  return node(matches ? 'yes' : 'off', `${where}: ${said.length > 0 ? said.join(', ') : 'no condition'}`);
}

/** Steps come in order of execution. An element opens a level, which the next element of the same depth closes. */
function stepTrees(steps: readonly TraceStep[]): readonly TreeNode[] {
  const roots: Growing[] = [];
  const open: { readonly depth: number; readonly node: Growing }[] = [];
  let conditions: TreeNode[] = [];
  const add = (grown: Growing) => (open.at(-1)?.node.children ?? roots).push(grown);
  for (const step of steps) {
    if (step.kind === 'condition') {
      conditions.push(conditionTree(step));
      continue;
    }
    if (step.kind === 'conditions') {
      add(grow(conditionsTree(step, conditions)));
      conditions = [];
      continue;
    }
    if (step.kind === 'element' || step.kind === 'emptyList')
      while (open.length > 0 && open.at(-1)!.depth >= step.depth) open.pop();
    const grown = grow(stepTree(step));
    add(grown);
    if (step.kind === 'element') open.push({ depth: step.depth, node: grown });
  }
  // Conditions without an end: one of them could not be evaluated.
  for (const left of conditions) add(grow(left));
  return roots.map(settleState);
}

interface Growing extends TreeNode {
  readonly children: Growing[];
}

const grow = (tree: TreeNode): Growing => ({ ...tree, children: tree.children.map(grow) });

/** The state of an element follows from its checks. */
function settleState(tree: Growing): TreeNode {
  const children = tree.children.map(settleState);
  if (!tree.text.startsWith('element ')) return { ...tree, children };
  const state = children.some((child) => child.state === 'no')
    ? 'no'
    : children.some((child) => child.state === 'off')
      ? 'off'
      : 'yes';
  return { ...tree, children, state };
}

function conditionTree({
  block,
  written,
  key,
  operator,
  value,
  holds,
}: TraceStep & { readonly kind: 'condition' }): TreeNode {
  const isResolved = renderJson(written ?? null) !== renderJson(key ?? null);
  const shown = isResolved ? `${text(written)} = ${show(key)}` : show(key);
  return node(holds ? 'yes' : 'off', `${block}: ${shown} ${operator} ${show(value)}`);
}

function conditionsTree(
  { where, hold }: TraceStep & { readonly kind: 'conditions' },
  children: readonly TreeNode[],
): TreeNode {
  if (!where.includes('deny')) return node(hold ? 'yes' : 'off', `${where}${hold ? '' : ': not met'}`, children);
  // The rule forbids what holds here.
  return node(hold ? 'no' : 'yes', hold ? 'deny: the conditions hold' : 'deny: the conditions do not hold', children);
}

type Single = Exclude<TraceStep, { readonly kind: 'condition' } | { readonly kind: 'conditions' }>;

function stepTree(step: Single): TreeNode {
  switch (step.kind) {
    case 'match':
      return node(step.mismatch === undefined ? 'yes' : 'off', step.mismatch ?? 'match');
    case 'element':
      return node('yes', `element ${step.index} of ${step.list}${elementName(step.element)}`);
    case 'emptyList':
      return node('off', `foreach ${step.list}: ${step.why}`);
    case 'control':
      return node(step.allowed ? 'yes' : 'no', `control ${step.control}: ${step.message}`);
    case 'assertion':
      return assertionTree(step);
    case 'expression':
      return expressionTree(step);
    case 'exception':
      return node('off', `exception ${step.name} applies`);
    case 'pattern':
      return patternTree(step);
  }
}

type ExpressionStep = TraceStep & { readonly kind: 'expression' };

function expressionTree({ where, expression, value, error, steps = [] }: ExpressionStep): TreeNode {
  const mark = value === true ? 'yes' : where === 'validate.cel' || error !== undefined ? 'no' : 'off';
  return node(mark, `${where}: ${expression.trim()} = ${error ?? show(value)}`, steps.map(partTree));
}

/** A part of an expression, on one line. */
function partTree({
  expression,
  at,
  value,
  start,
  error,
  steps = [],
}: NonNullable<ExpressionStep['steps']>[number]): TreeNode {
  const written = cut(expression.replace(/\s*\n\s*/g, ' '));
  const element = at === undefined ? '' : `[${show(at)}] `;
  const state = error !== undefined ? 'no' : value === true ? 'yes' : value === false ? 'off' : 'note';
  return node(state, `${element}${written} = ${cut(error ?? start ?? show(value))}`, steps.map(partTree));
}

function patternTree({
  where,
  outcome,
  path,
  message,
  expected,
  found,
}: TraceStep & { readonly kind: 'pattern' }): TreeNode {
  if (outcome === 'pass') return node('yes', `${where} matches`);
  const state = outcome === 'skip' ? 'off' : 'no';
  const title = outcome === 'skip' ? `${where} does not apply` : `${where} does not match`;
  return node(state, path ? `${title} at ${path}` : title, [
    ...(path
      ? [
          node(state, `expected ${show(expected)}`),
          node(state, `found ${found === undefined ? 'nothing' : show(found)}`),
        ]
      : []),
    // The difference is already shown.
    ...(message === undefined || message === '' || (path && message.startsWith('resource value '))
      ? []
      : [node('note', message)]),
  ]);
}

function assertionTree({
  path,
  holds,
  expected,
  found,
  message,
}: TraceStep & { readonly kind: 'assertion' }): TreeNode {
  if (holds) return node('yes', `${path}: ${show(found)}`);
  if (expected === undefined) return node('no', `${path}: ${message}`);
  return node('no', path, [node('no', `expected ${show(expected)}`), node('no', `found ${show(found)}`)]);
}

function elementName(element: unknown): string {
  const name = typeof element === 'object' && element !== null && 'name' in element ? element.name : undefined;
  if (typeof name === 'string') return ` (name ${name})`;
  return typeof element === 'object' ? '' : ` (${show(element)})`;
}

const text = (value: unknown) => (typeof value === 'string' ? value : show(value));

function show(value: unknown): string {
  const shown = value === undefined ? 'nothing' : renderJson(value);
  return cut(shown);
}

const cut = (line: string) => (line.length > maxValueLength ? `${line.slice(0, maxValueLength)}…` : line);
