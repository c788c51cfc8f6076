import { type Command, Option } from 'commander';
import { loadCel, loadFiles } from '../app/index.ts';
import { renderJson, renderYaml } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';

interface CelOptions {
  readonly resource: readonly string[];
  readonly output: 'json' | 'yaml';
  readonly cost: boolean;
}

export function defineCel(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('cel')
    .summary('try a CEL expression')
    .description(
      "Evaluates a CEL expression with Kubernetes' libraries, once for each document, which it sees as `object`.\n" +
        'A mistake in it is shown with its line and column, as the API server tells it.',
    )
    .argument('<expression>', 'the expression')
    .option('-r, --resource <file...>', 'files or folders of YAML or JSON; "-" is standard input', [])
    .addOption(new Option('-o, --output <format>', 'how values are shown').choices(['json', 'yaml']).default('json'))
    .option('--cost', 'show the type of the expression and what each evaluation cost', false)
    .addHelpText(
      'after',
      `
Examples:
  supercargo cel "object.spec.containers.map(c, c.image)" -r pod.yaml
  supercargo cel "quantity('1Gi').isGreaterThan(quantity('1G'))" --cost
  kubectl get pods -o yaml | supercargo cel "object.items.filter(p, !has(p.metadata.labels))" -r - -o yaml

Exit codes: 0 evaluated; 1 an evaluation ended with an error; 2 wrong usage, or an expression that is wrong.
`,
    )
    .action(async (expression: string, options: CelOptions) => setExitCode(await tryCel(expression, options, context)));
}

async function tryCel(expression: string, options: CelOptions, { stdout, stderr }: CliContext): Promise<number> {
  const [{ evaluateCel }, { nodeFiles }] = await Promise.all([loadCel(), loadFiles()]);
  const { type, answers } = evaluateCel(nodeFiles(), expression, options.resource);
  for (const [i, { place, value, error, cost }] of answers.entries()) {
    if (error !== undefined) stderr.write(`supercargo: ${place === undefined ? '' : `${place}: `}${error}\n`);
    else if (options.output === 'json')
      stdout.write(`${renderJson(options.cost ? { value, type, cost } : value, 2)}\n`);
    else {
      if (i > 0) stdout.write('---\n');
      stdout.write(renderYaml(options.cost ? { value, type, cost } : value));
    }
  }
  return answers.some(({ error }) => error !== undefined) ? exitCodes.failed : exitCodes.ok;
}
