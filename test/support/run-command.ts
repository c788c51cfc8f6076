import { runCli } from '../../src/cli/index.ts';

interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface CommandOptions {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly temporaryDir?: string;
}

/** Runs a command in this process. */
export async function runCommand(
  args: readonly string[],
  { env = {}, temporaryDir = '/nonexistent' }: CommandOptions = {},
): Promise<CommandResult> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await runCli(
    args,
    {
      env,
      stdout: { write: (text) => out.push(text) },
      stderr: { write: (text) => err.push(text) },
      temporaryDir,
      signal: new AbortController().signal,
      uptimeMs: () => 0,
    },
    '0.0.0',
  );
  return { code, stdout: out.join(''), stderr: err.join('') };
}
