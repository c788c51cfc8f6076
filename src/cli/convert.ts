import { type Command, Option } from 'commander';
import { loadConvert, loadFiles } from '../app/index.ts';
import { renderJson, renderYaml } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';

interface ConvertOptions {
  readonly output: 'yaml' | 'json';
  readonly quiet: boolean;
}

export function defineConvert(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('convert')
    .summary('convert classic policies to the CEL kinds')
    .description(
      'Writes the rules of ClusterPolicies and Policies as ValidatingPolicies, MutatingPolicies and GeneratingPolicies, one\n' +
        'for each rule. A rule is converted only if both do the same with several hundred objects that are made for what\n' +
        'the rule reads: block the same, change them in the same way, make the same. What has no equivalent is named on\n' +
        'standard error, with the field and the reason.',
    )
    .argument('<policy...>', 'files or folders of YAML or JSON; "-" is standard input')
    .addOption(
      new Option('-o, --output <format>', 'how policies are written').choices(['yaml', 'json']).default('yaml'),
    )
    .option('-q, --quiet', 'no notes about rules that are converted', false)
    .addHelpText(
      'after',
      `
Examples:
  supercargo convert policy.yaml > converted.yaml
  supercargo convert policies/ -o json | jq '.items[].metadata.name'

Exit codes: 0 everything is converted; 1 some rules have no equivalent; 2 wrong usage or input.
`,
    )
    .action(async (paths: readonly string[], options: ConvertOptions) =>
      setExitCode(await convert(paths, options, context)),
    );
}

async function convert(
  paths: readonly string[],
  { output, quiet }: ConvertOptions,
  { stdout, stderr }: CliContext,
): Promise<number> {
  const [{ convertPolicies }, { nodeFiles }] = await Promise.all([loadConvert(), loadFiles()]);
  const { policies, notes, refused } = convertPolicies(nodeFiles(), paths);
  if (output === 'json') stdout.write(`${renderJson({ apiVersion: 'v1', kind: 'List', items: policies }, 2)}\n`);
  else if (policies.length > 0) stdout.write(policies.map((policy) => renderYaml(policy)).join('---\n'));
  if (!quiet) for (const note of notes) stderr.write(`supercargo: note: ${note}\n`);
  for (const line of refused.flatMap((one) => one.split('\n'))) stderr.write(`supercargo: ${line}\n`);
  return refused.length > 0 ? exitCodes.failed : exitCodes.ok;
}
