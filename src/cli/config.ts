import { type Command, Option } from 'commander';
import { type ConfigSetting, loadConfigSchema, loadConfiguration, parseFeatures } from '../app/index.ts';
import { renderJson } from '../base/index.ts';
import type { CliContext } from './context.ts';
import { addLogOptions, type LogOptions } from './log-options.ts';
import { renderColumns, renderValue } from './output.ts';

interface ConfigOptions extends LogOptions {
  readonly config?: string;
  readonly features?: string;
  readonly namespace?: string;
  readonly exposure?: string;
}

interface PrintOptions extends ConfigOptions {
  readonly changed: boolean;
  readonly output: 'table' | 'wide' | 'json' | 'yaml';
}

export function defineConfig(program: Command, context: CliContext): void {
  const config = program
    .command('config')
    .summary('show and check the configuration')
    .description('Shows what "supercargo run" would use, checks a configuration file, or prints its schema.');
  sources(config.command('print'))
    .summary('show every setting, and where its value is from')
    .description(
      'Shows the configuration that "supercargo run" would use with the same file, options and environment. A table\n' +
        'tells where each value is from; JSON and YAML are a configuration file with every value.',
    )
    .option('--changed', 'only settings that are not left at their default', false)
    .addOption(
      new Option('-o, --output <format>', 'how it is printed')
        .choices(['table', 'wide', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText(
      'after',
      `
Examples:
  supercargo config print --changed --config supercargo.yaml
  supercargo config print -o wide                 with what each setting means
  LOG_LEVEL=debug supercargo config print -o yaml
`,
    )
    .action((options: PrintOptions) => print(options, context));
  sources(config.command('check'))
    .summary('check a configuration file')
    .description('Reads the file as "supercargo run" does and names all mistakes. Exit code 2 if there are any.')
    .addHelpText('after', '\nExamples:\n  supercargo config check --config supercargo.yaml\n')
    .action((options: ConfigOptions) => check(options, context));
  config
    .command('schema')
    .summary('print the JSON Schema of a configuration file')
    .description('For editors and other programs: every setting with its type, default, meaning and examples.')
    .addHelpText('after', '\nExamples:\n  supercargo config schema > supercargo.schema.json\n')
    .action(async () => {
      const { configJsonSchema } = await loadConfigSchema();
      context.stdout.write(`${renderJson(configJsonSchema(), 2)}\n`);
    });
}

function sources(command: Command): Command {
  command.option('--config <file>', 'configuration file (YAML)');
  command.option('--features <names>', 'only these parts, separated by commas');
  command.option('--namespace <name>', 'the namespace of this program, where its Leases are');
  command.option(
    '--exposure <how>',
    'how the API server reaches the webhooks: service, loopback or url=https://HOST:PORT',
  );
  return addLogOptions(command);
}

async function load(options: ConfigOptions, { env }: CliContext) {
  const { loadConfig } = await loadConfiguration();
  const features = options.features === undefined ? undefined : parseFeatures(options.features);
  return loadConfig(options.config, { flags: { ...options, features }, env });
}

async function print(options: PrintOptions, context: CliContext): Promise<void> {
  const { config, settings } = await load(options, context);
  const shown = options.changed ? settings.filter(({ from }) => from !== 'default') : settings;
  const { output } = options;
  if (output === 'json' || output === 'yaml') {
    const { configFileOf } = await loadConfigSchema();
    context.stdout.write(renderValue(options.changed ? configFileOf(shown) : config, output));
    return;
  }
  const isWide = output === 'wide';
  const rows = shown.map((setting) => [
    setting.key,
    setting.value === undefined ? '' : typeof setting.value === 'string' ? setting.value : renderJson(setting.value),
    originOf(setting),
    ...(isWide ? [setting.description] : []),
  ]);
  context.stdout.write(renderColumns(['SETTING', 'VALUE', 'FROM', ...(isWide ? ['MEANING'] : [])], rows));
}

const originOf = ({ from, name, value }: ConfigSetting) =>
  name !== undefined ? `${from} ${name}` : from === 'default' && value === undefined ? 'not set' : from;

async function check(options: ConfigOptions, context: CliContext): Promise<void> {
  const { settings } = await load(options, context);
  const set = settings.filter(({ from }) => from !== 'default').length;
  context.stdout.write(`${options.config ?? 'the defaults'}: valid, ${set} of ${settings.length} settings are set\n`);
}
