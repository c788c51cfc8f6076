import { type Command, Option } from 'commander';
import { loadOffline } from '../app/index.ts';
import { renderJson, renderYaml } from '../base/index.ts';
import { type CliContext, exitCodes, hasColours } from './context.ts';
import { bufferedWriter } from './output.ts';
import { addPolicyOptions, checkInputs, type PolicyOptions, setupOptions } from './policy-options.ts';

interface ExplainOptions extends PolicyOptions {
  readonly output: 'tree' | 'json' | 'yaml';
  readonly detailed: boolean;
}

export function defineExplain(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  addPolicyOptions(program.command('explain'))
    .summary('show how policies come to their results')
    .description(
      'Shows, rule by rule, how the result for each resource came about: which filters matched, what preconditions saw,\n' +
        'where a pattern did not fit, what a mutation changed, what is generated.',
    )
    .addOption(
      new Option('-o, --output <format>', 'a tree for people, or data')
        .choices(['tree', 'json', 'yaml'])
        .default('tree'),
    )
    .option('--detailed', 'show the rules that were derived for other kinds, too', false)
    .addHelpText(
      'after',
      `
Marks: ✓ holds, ✗ decided against the resource, – does not apply.

Examples:
  supercargo explain policy.yaml -r pod.yaml
  kubectl get pod web -o yaml | supercargo explain policies/ -r - -o json

Exit codes: 0 explained, whatever the result; 2 wrong usage or input, or a policy that cannot be run.
`,
    )
    .action(async (policies: readonly string[], options: ExplainOptions) =>
      setExitCode(await explain(policies, options, context)),
    );
}

async function explain(policies: readonly string[], options: ExplainOptions, context: CliContext): Promise<number> {
  checkInputs(policies, options, undefined);
  const offline = await loadOffline();
  const files = offline.nodeFiles();
  const setup = offline.loadSetup({ files, ...setupOptions(policies, options), explain: true });
  const application = offline.openApplication(setup);
  for (const { place, kind, name, reason } of application.unsupported)
    context.stderr.write(`supercargo: ${place}: ${kind} ${name} was skipped: ${reason}\n`);
  const out = bufferedWriter(context.stdout);
  const paint = offline.painter(hasColours(context.stdout, context.env));
  let separator = '[\n';
  for await (const evaluated of offline.evaluateFiles(application, files, options.resource, context.signal)) {
    const explanation = offline.explainResponse(application, evaluated);
    if (options.output === 'json') {
      out.write(`${separator}${renderJson(explanation, 2)}`);
      separator = ',\n';
    } else if (options.output === 'yaml') out.write(renderYaml([explanation]));
    else out.write(`${offline.renderTree(offline.explanationTree(explanation, options.detailed), paint)}\n`);
  }
  if (options.output === 'json') out.write('\n]\n');
  out.flush();
  return application.unsupported.length > 0 ? exitCodes.usage : exitCodes.ok;
}
