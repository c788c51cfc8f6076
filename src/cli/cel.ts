import type { Command } from 'commander';
import { loadExpressions } from '../app/index.ts';
import type { CliContext } from './context.ts';
import { addTryOptions, runTry, type TryOptions } from './try-expression.ts';

export function defineCel(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  addTryOptions(
    program
      .command('cel')
      .summary('try a CEL expression')
      .description(
        "Evaluates a CEL expression with Kubernetes' libraries, once for each document, which it sees as `object`.\n" +
          'A mistake in it is shown with its line and column, as the API server tells it. Without an expression, it reads\n' +
          'expressions: on a terminal with history and completion of fields and functions.',
      ),
  )
    .option('--cost', 'show the type of the expression and what each evaluation cost', false)
    .addHelpText(
      'after',
      `
Examples:
  supercargo cel "object.spec.containers.map(c, c.image)" -r pod.yaml
  supercargo cel "quantity('1Gi').isGreaterThan(quantity('1G'))" --cost
  kubectl get pods -o yaml | supercargo cel "object.items.filter(p, !has(p.metadata.labels))" -r - -o yaml
  supercargo cel -r pod.yaml                  # try several expressions
  supercargo cel --functions join             # how a function is called

Exit codes: 0 evaluated; 1 an evaluation ended with an error; 2 wrong usage, or an expression that is wrong.
`,
    )
    .action(async (expression: string | undefined, options: TryOptions) => {
      const { celLanguage } = await loadExpressions();
      setExitCode(await runTry(celLanguage, expression, options, context));
    });
}
