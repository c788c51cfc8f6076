import type { Command } from 'commander';
import { loadExpressions } from '../app/index.ts';
import type { CliContext } from './context.ts';
import { addTryOptions, runTry, type TryOptions } from './try-expression.ts';

interface JpOptions extends TryOptions {
  readonly request: boolean;
}

export function defineJp(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  addTryOptions(
    program
      .command('jp')
      .summary('try a JMESPath expression')
      .description(
        "Evaluates a JMESPath expression in Kyverno's dialect, with its functions, once for each document. Without an\n" +
          'expression, it reads expressions: on a terminal with history and completion of fields and functions.',
      ),
  )
    .option('--request', 'the document is `request.object`, as rules see it, and not the root', false)
    .addHelpText(
      'after',
      `
Examples:
  supercargo jp "spec.containers[].image" -r pod.yaml
  supercargo jp "request.object.metadata.labels || \`{}\`" --request -r pod.yaml
  supercargo jp "truncate(sha256('nginx:1.21'), \`8\`)" -u
  supercargo jp -r pod.yaml                   # try several expressions
  supercargo jp --functions time_add          # how a function is called

Exit codes: 0 evaluated; 1 an evaluation ended with an error; 2 wrong usage, or an expression that is wrong.
`,
    )
    .action(async (expression: string | undefined, options: JpOptions) => {
      const { jmespathLanguageFor } = await loadExpressions();
      const language = jmespathLanguageFor({ isRequest: options.request });
      setExitCode(await runTry(language, expression, options, context));
    });
}
