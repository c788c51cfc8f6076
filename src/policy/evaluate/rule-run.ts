import type { Environment, Scope, WorkBudget } from '../../jmespath/index.ts';
import type { CompiledPolicy, CompiledRule } from '../compile/index.ts';
import { type ContextEnvironment, type Known, mergeDeep } from '../context/index.ts';
import { type PolicyRequest, subjectOf } from '../request.ts';
import type { Run } from '../run/run.ts';
import type { TraceStep } from '../run/trace.ts';
import { seededRandom } from './random.ts';

/** All that the runs of one rule on one request have in common. */
interface RuleRunOptions {
  readonly policy: CompiledPolicy;
  readonly rule: CompiledRule;
  readonly known: Known;
  readonly budget: WorkBudget;
  readonly clock: { now(): number };
  /** Context entries whose values the variables of the request give. */
  readonly given: ReadonlySet<string> | undefined;
  /** Variables of the rule, merged over those of the request. */
  readonly variables: Readonly<Record<string, unknown>> | undefined;
  readonly trace: ((step: TraceStep) => void) | undefined;
  readonly scopeOf: (request: PolicyRequest, rule: CompiledRule) => Scope;
}

/** A run whose parts are made when they are first read: the rules of CEL read none but the request and the budget. */
export class RuleRun implements Run {
  readonly nesting = 0;
  readonly request: PolicyRequest;
  private madeScope: Scope | undefined;
  private madeEnvironment: Environment | undefined;
  private madeContext: ContextEnvironment | undefined;

  constructor(
    private readonly options: RuleRunOptions,
    request: PolicyRequest,
  ) {
    const { variables } = options;
    this.request = variables ? { ...request, variables: mergeVariables(request, variables) } : request;
  }

  get trace(): Run['trace'] {
    return this.options.trace;
  }

  get budget(): WorkBudget {
    return this.options.budget;
  }

  get readsNamespace(): boolean {
    return this.options.rule.reads.namespace;
  }

  get isDelete(): boolean {
    return this.request.operation === 'DELETE';
  }

  get scope(): Scope {
    this.madeScope ??= this.options.scopeOf(this.request, this.options.rule);
    return this.madeScope;
  }

  get environment(): Environment {
    if (!this.madeEnvironment) {
      const { clock, budget, policy, rule } = this.options;
      const { request } = this;
      const random = seededRandom(request.uid, () => [generationOf(request), policy.key, rule.name]);
      this.madeEnvironment = { clock, random, budget };
    }
    return this.madeEnvironment;
  }

  get context(): ContextEnvironment {
    if (!this.madeContext) {
      const { known, policy, given } = this.options;
      const { environment, isDelete, request } = this;
      const { dryRun } = request;
      this.madeContext = { known, environment, isDelete, policyNamespace: policy.namespace, dryRun, given };
    }
    return this.madeContext;
  }

  get withRequest(): Run['withRequest'] {
    return (request) => new RuleRun(this.options, request);
  }
}

function mergeVariables({ variables = {} }: PolicyRequest, own: Readonly<Record<string, unknown>>) {
  return mergeDeep(variables, own) as Readonly<Record<string, unknown>>;
}

const generationOf = (request: PolicyRequest) => String(subjectOf(request)?.metadata.generation ?? '');
