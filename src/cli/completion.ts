import { Argument, type Command } from 'commander';
import { completeWords } from './complete-words.ts';
import { completionScripts, shells } from './completion-scripts.ts';
import type { CliContext } from './context.ts';

/** The last line of an answer, in the protocol of cobra, which kubectl reads from plugins: files are possible, or not. */
const directives = { files: ':0', noFiles: ':4' } as const;

export function defineCompletion(program: Command, context: CliContext): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description(
      'Prints a script that completes commands, options and their values. It asks this program, so that it stays right\n' +
        'when the program changes. Tests run the scripts in bash, zsh and fish; that for PowerShell is only parsed.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices([...shells]))
    .addHelpText(
      'after',
      `
Examples:
  source <(supercargo completion bash)            in ~/.bashrc
  source <(supercargo completion zsh)             in ~/.zshrc
  supercargo completion fish > ~/.config/fish/completions/supercargo.fish
  supercargo completion powershell | Out-String | Invoke-Expression
`,
    )
    .action((shell: keyof typeof completionScripts) => void context.stdout.write(completionScripts[shell]));
  // Shells call it: one candidate a line with its description, and the directive.
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    // PowerShell loses an empty word.
    .option('--empty')
    .allowUnknownOption()
    .helpOption(false)
    .passThroughOptions()
    .action((words: readonly string[], { empty }: { readonly empty?: boolean }) => {
      const { candidates, takesFiles } = completeWords(program, empty ? [...words, ''] : words);
      const lines = candidates.map(({ value, description }) => {
        const [first = ''] = description.split('\n');
        return first === '' ? value : `${value}\t${first}`;
      });
      const directive = takesFiles ? directives.files : directives.noFiles;
      context.stdout.write([...lines, directive, ''].join('\n'));
    });
}
