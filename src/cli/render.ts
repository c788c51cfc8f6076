import { type Command, InvalidArgumentError, Option } from 'commander';
import { loadFiles, loadRender } from '../app/index.ts';
import { renderJson, renderYaml } from '../base/index.ts';
import { type CliContext, exitCodes } from './context.ts';

interface RenderCommandOptions {
  readonly image: string;
  readonly digest?: string;
  readonly prefix?: string;
  readonly var: Readonly<Record<string, string>>;
  readonly against?: string;
  readonly output: 'table' | 'json' | 'yaml';
}

export function defineRender(program: Command, context: CliContext, setExitCode: (code: number) => void): void {
  program
    .command('render')
    .summary('show what a ResourceTemplate makes of an image')
    .description(
      'Renders the files that a detected image would bring, checks them as the controller would, and shows them.\n' +
        'Nothing is written, and Git is not contacted.',
    )
    .argument('<template>', 'the file of a ResourceTemplate; "-" is standard input')
    .requiredOption('--image <image>', 'the image, with its tag')
    .option('--digest <digest>', 'its digest')
    .option('--prefix <prefix>', 'the prefix that a policy would extract from the tag')
    .option('--var <name=value>', 'a variable, in place of the one of the template', addVariable, {})
    .option('--against <dir>', 'compare with a checked-out repository')
    .addOption(
      new Option('-o, --output <format>', 'how files are shown').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo render template.yaml --image registry.example/webapp/frontend:dev-v1.2.0 --prefix dev
  supercargo render template.yaml --image nginx:1.29 --var namespace=staging --against ../manifests

Exit codes: 0 rendered; 1 with --against, something would change; 2 wrong usage, or a template that cannot be rendered.
`,
    )
    .action(async (template: string, options: RenderCommandOptions) =>
      setExitCode(await render(template, options, context)),
    );
}

function addVariable(text: string, before: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is written name=value.');
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

async function render(template: string, options: RenderCommandOptions, context: CliContext): Promise<number> {
  const { stdout, stderr } = context;
  const [{ renderTemplate }, { nodeFiles }] = await Promise.all([loadRender(), loadFiles()]);
  const { image, digest, prefix, against, output } = options;
  const rendered = renderTemplate({
    files: nodeFiles(),
    template,
    image,
    digest,
    prefix,
    variables: options.var,
    against,
    nowMs: Date.now(),
  });
  const { files, message, warnings } = rendered;
  for (const warning of warnings) stderr.write(`supercargo: warning: ${warning}\n`);
  if (output === 'json') stdout.write(`${renderJson(rendered, 2)}\n`);
  else if (output === 'yaml') stdout.write(renderYaml({ message, files }));
  else {
    for (const { path, content, change, diff } of files) {
      const note = change === 'kept' ? 'kept as it is: its version is left to GitOps' : change;
      stdout.write(`# ${path}${note === undefined ? '' : ` (${note})`}\n`);
      if (change === undefined) stdout.write(`${content}\n`);
      else if (change === 'added' || change === 'changed') stdout.write(`${diff}\n\n`);
    }
    stdout.write(`# commit message\n${message}\n`);
  }
  return files.some(({ change }) => change === 'added' || change === 'changed') ? exitCodes.failed : exitCodes.ok;
}
