import { type Command, InvalidArgumentError } from 'commander';
import { parseYaml, UsageError } from '../base/index.ts';

/** Common options of `apply` and `explain`: policies, resources and values. */
export interface PolicyOptions {
  readonly resource: readonly string[];
  readonly valuesFile?: string;
  readonly set: Readonly<Record<string, unknown>>;
  readonly userinfo?: string;
  readonly exception: readonly string[];
  readonly clusterResources?: readonly string[];
}

export function addPolicyOptions(command: Command): Command {
  return command
    .argument('<policy...>', 'files and folders of policies; - is standard input')
    .option('-r, --resource <path>', 'file or folder of resources, or - (may be given several times)', append, [])
    .option('-f, --values-file <file>', 'values for variables (cli.kyverno.io/v1alpha1, kind Values)')
    .option('--set <name=value>', 'the value of one variable; commas separate several', appendValues, {})
    .option('--userinfo <file>', 'the requesting user (cli.kyverno.io/v1alpha1, kind UserInfo)')
    .option('--exception <path>', 'file or folder of PolicyExceptions', append, [])
    .option(
      '--cluster-resources <path>',
      'objects that stand in for a cluster: ConfigMaps, API calls, clone sources',
      append,
    );
}

/** The options as `offline` takes them. */
export const setupOptions = (policies: readonly string[], options: PolicyOptions) => ({
  policies,
  exceptions: options.exception,
  valuesFile: options.valuesFile,
  set: options.set,
  userInfoFile: options.userinfo,
  cluster: options.clusterResources,
  now: Date.now(),
});

/**
 * Rejects input that cannot be read: none at all, or standard input used twice. `cluster` is whether --cluster is
 * given; undefined for a command without that option.
 */
export function checkInputs(
  policies: readonly string[],
  { resource }: Pick<PolicyOptions, 'resource'>,
  cluster: boolean | undefined,
  payloads: readonly string[] = [],
): void {
  const isCluster = cluster === true;
  const inputs = [...resource, ...payloads];
  if (inputs.length === 0 && !isCluster)
    throw new UsageError(
      'cli-no-resources',
      `nothing to evaluate: name resources with -r${cluster === undefined ? '' : ', or a cluster with --cluster'}`,
    );
  if (resource.length > 0 && isCluster)
    throw new UsageError('cli-resources-and-cluster', 'resources come from -r or from --cluster, not from both');
  if (payloads.length > 0 && isCluster)
    throw new UsageError('cli-payloads-and-cluster', 'a cluster has no payloads: give them without --cluster');
  if ([...policies, ...inputs].filter((path) => path === '-').length > 1)
    throw new UsageError('cli-standard-input-twice', 'standard input can hold the policies or the resources, not both');
}

export function append(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** `a.b=c,d=1`: values are parsed as YAML, so that numbers and booleans keep their type. */
function appendValues(text: string, before: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const values = { ...before };
  for (const part of text.split(',')) {
    const equals = part.indexOf('=');
    if (equals < 1) throw new InvalidArgumentError(`"${part}" is not of the form name=value`);
    values[part.slice(0, equals).trim()] = readValue(part.slice(equals + 1));
  }
  return values;
}

function readValue(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return text;
  }
}
