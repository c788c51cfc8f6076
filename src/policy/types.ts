import type { KubeObject, LabelSelector } from '../object/index.ts';

/** A ClusterPolicy or Policy (`kyverno.io/v1`, `v2beta1`) as it is written; nothing here is resolved yet. */
export interface PolicyObject extends KubeObject {
  readonly kind: 'ClusterPolicy' | 'Policy';
  readonly spec: PolicySpec;
}

export interface PolicySpec {
  readonly rules?: readonly RuleSpec[];
  readonly applyRules?: 'All' | 'One';
  readonly admission?: boolean;
  readonly background?: boolean;
  readonly emitWarning?: boolean;
  readonly failurePolicy?: 'Fail' | 'Ignore';
  readonly generateExisting?: boolean;
  readonly generateExistingOnPolicyUpdate?: boolean;
  readonly mutateExistingOnPolicyUpdate?: boolean;
  readonly schemaValidation?: boolean;
  readonly useServerSideApply?: boolean;
  readonly validationFailureAction?: string;
  readonly validationFailureActionOverrides?: readonly FailureActionOverride[];
  readonly webhookConfiguration?: Readonly<Record<string, unknown>>;
  readonly webhookTimeoutSeconds?: number;
}

export interface FailureActionOverride {
  readonly action?: string;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

export interface RuleSpec {
  readonly name: string;
  readonly context?: readonly ContextEntry[];
  readonly match?: MatchBlock;
  readonly exclude?: MatchBlock;
  readonly preconditions?: unknown;
  readonly celPreconditions?: readonly { readonly name: string; readonly expression: string }[];
  readonly validate?: ValidateSpec;
  readonly mutate?: MutateSpec;
  readonly generate?: GenerateSpec;
  readonly verifyImages?: readonly Readonly<Record<string, unknown>>[];
  readonly imageExtractors?: Readonly<Record<string, readonly ImageExtractor[]>>;
  readonly skipBackgroundRequests?: boolean;
  readonly reportProperties?: Readonly<Record<string, string>>;
}

export interface ImageExtractor {
  readonly path: string;
  readonly value?: string;
  readonly name?: string;
  readonly key?: string;
  readonly jmesPath?: string;
}

/** `any` or `all` of filters; the old form writes the filter itself. */
export interface MatchBlock extends ResourceFilter {
  readonly any?: readonly ResourceFilter[];
  readonly all?: readonly ResourceFilter[];
}

export interface ResourceFilter {
  readonly resources?: ResourceDescription;
  readonly roles?: readonly string[];
  readonly clusterRoles?: readonly string[];
  readonly subjects?: readonly { readonly kind: string; readonly name: string; readonly namespace?: string }[];
}

export interface ResourceDescription {
  readonly kinds?: readonly string[];
  readonly name?: string;
  readonly names?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly annotations?: Readonly<Record<string, string>>;
  readonly selector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
  readonly operations?: readonly string[];
}

export interface ContextEntry {
  readonly name: string;
  readonly variable?: { readonly value?: unknown; readonly jmesPath?: string; readonly default?: unknown };
  readonly configMap?: { readonly name: string; readonly namespace?: string };
  readonly apiCall?: Readonly<Record<string, unknown>>;
  readonly imageRegistry?: Readonly<Record<string, unknown>> & {
    readonly reference: string;
    readonly jmesPath?: string;
  };
  readonly globalReference?: { readonly name: string; readonly jmesPath?: string };
}

export interface ValidateSpec {
  readonly message?: string;
  readonly failureAction?: string;
  readonly failureActionOverrides?: readonly FailureActionOverride[];
  readonly allowExistingViolations?: boolean;
  readonly pattern?: unknown;
  readonly anyPattern?: readonly unknown[];
  readonly deny?: { readonly conditions?: unknown };
  readonly foreach?: readonly ForEachValidate[];
  readonly podSecurity?: PodSecuritySpec;
  readonly manifests?: unknown;
  readonly cel?: CelSpec;
  readonly assert?: unknown;
}

export interface CelSpec {
  readonly expressions?: readonly {
    readonly expression: string;
    readonly message?: string;
    readonly messageExpression?: string;
    readonly reason?: string;
  }[];
  readonly variables?: readonly { readonly name: string; readonly expression: string }[];
  readonly auditAnnotations?: readonly { readonly key: string; readonly valueExpression: string }[];
  readonly paramKind?: { readonly apiVersion?: string; readonly kind?: string };
  readonly paramRef?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly selector?: LabelSelector;
    readonly parameterNotFoundAction?: string;
  };
  readonly generate?: boolean;
}

export interface ForEachValidate {
  readonly list?: string;
  readonly elementScope?: boolean;
  readonly context?: readonly ContextEntry[];
  readonly preconditions?: unknown;
  readonly pattern?: unknown;
  readonly anyPattern?: readonly unknown[];
  readonly deny?: { readonly conditions?: unknown };
  readonly foreach?: readonly ForEachValidate[];
}

export interface PodSecuritySpec {
  readonly level?: string;
  readonly version?: string;
  readonly exclude?: readonly PodSecurityExclusion[];
}

export interface PodSecurityExclusion {
  readonly controlName: string;
  readonly images?: readonly string[];
  readonly restrictedField?: string;
  readonly values?: readonly string[];
}

export interface MutateSpec {
  readonly mutateExistingOnPolicyUpdate?: boolean;
  readonly targets?: readonly MutateTarget[];
  readonly patchStrategicMerge?: unknown;
  readonly patchesJson6902?: string;
  readonly foreach?: readonly ForEachMutate[];
}

export interface MutateTarget {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly selector?: LabelSelector;
  readonly context?: readonly ContextEntry[];
  readonly preconditions?: unknown;
}

export interface ForEachMutate {
  readonly list?: string;
  readonly order?: 'Ascending' | 'Descending';
  readonly context?: readonly ContextEntry[];
  readonly preconditions?: unknown;
  readonly patchStrategicMerge?: unknown;
  readonly patchesJson6902?: string;
  readonly foreach?: readonly ForEachMutate[];
}

export interface GenerateTargetSpec {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly data?: unknown;
  readonly clone?: { readonly namespace?: string; readonly name?: string };
  readonly cloneList?: {
    readonly namespace?: string;
    readonly kinds?: readonly string[];
    readonly selector?: LabelSelector;
  };
}

export interface GenerateSpec extends GenerateTargetSpec {
  readonly generateExisting?: boolean;
  readonly synchronize?: boolean;
  readonly orphanDownstreamOnPolicyDelete?: boolean;
  readonly foreach?: readonly (GenerateTargetSpec & {
    readonly list?: string;
    readonly context?: readonly ContextEntry[];
    readonly preconditions?: unknown;
  })[];
}

/** What is wrong with a policy: `path` is the field (`spec.rules[0].match`), `code` is stable. */
export interface PolicyIssue {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  /** A warning does not keep the policy from running. */
  readonly severity: 'error' | 'warning';
}
