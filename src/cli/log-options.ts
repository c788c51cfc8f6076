import { type Command, Option } from 'commander';
import {
  createLogger,
  type LogFormat,
  type Logger,
  type LogLevel,
  logFormats,
  logLevels,
  UsageError,
} from '../base/index.ts';
import { type CliContext, messagesOf } from './context.ts';

/** The log options of a command that runs until a signal, or that other programs start. */
export interface LogOptions {
  readonly logLevel?: LogLevel;
  readonly logFormat?: LogFormat;
}

export function addLogOptions(command: Command, otherwise = 'info'): Command {
  return command
    .addOption(
      new Option(
        '--log-level <level>',
        `what is logged to standard error (default: LOG_LEVEL, or ${otherwise})`,
      ).choices([...logLevels]),
    )
    .addOption(
      new Option(
        '--log-format <format>',
        'log lines for programs or for people (default: LOG_FORMAT, or json)',
      ).choices([...logFormats]),
    );
}

/** The logger of the options or of the environment, for users who cannot change the command. */
export function loggerOf(
  options: LogOptions,
  { env, stderr }: Pick<CliContext, 'env' | 'stderr'>,
  otherwise: LogLevel = 'info',
): Logger {
  const level = options.logLevel ?? choice(env, 'LOG_LEVEL', logLevels) ?? otherwise;
  const format = options.logFormat ?? choice(env, 'LOG_FORMAT', logFormats) ?? 'json';
  return createLogger({ level, format, destination: stderr });
}

/** The log options of a command for a terminal, which takes long: without any it writes plain lines. */
export function addMessageOptions(command: Command): Command {
  return addLogOptions(command, 'warnings as plain lines');
}

/** Plain lines for people, or a log where the options or the environment ask for one. */
export function messageLoggerOf(
  options: LogOptions,
  context: Pick<CliContext, 'env' | 'stderr'>,
  otherwise: 'warn' | 'error' = 'warn',
): Logger {
  const asked = [options.logLevel, options.logFormat, context.env['LOG_LEVEL'], context.env['LOG_FORMAT']];
  return asked.some((value) => value !== undefined && value !== '')
    ? loggerOf(options, context, otherwise)
    : messagesOf(context, otherwise);
}

function choice<T extends string>(env: CliContext['env'], name: string, values: readonly T[]): T | undefined {
  const given = env[name];
  if (given === undefined || given === '') return undefined;
  const value = values.find((one) => one === given.toLowerCase());
  if (value !== undefined) return value;
  throw new UsageError('log-options', `${name} must be one of ${values.join(', ')}, not ${JSON.stringify(given)}`);
}
