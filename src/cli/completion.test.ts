import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../../test/support/run-command.ts';
import { findOnPath } from '../../test/support/search-path.ts';
import { completionScripts, shells } from './completion-scripts.ts';

const bash = await findOnPath('bash');
if (bash === undefined) process.stderr.write('completion in bash is not tested: there is no bash on the PATH\n');

/** The candidates and the directive for a command line. */
async function complete(
  ...words: string[]
): Promise<{ readonly values: readonly string[]; readonly directive: string }> {
  const { code, stdout, stderr } = await runCommand(['__complete', '--', ...words]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  return { values: lines.slice(0, -1).map((line) => line.split('\t')[0]!), directive: lines.at(-1)! };
}

describe('completion', () => {
  it('knows commands and the commands below them, with what they do', async () => {
    const { values } = await complete('');
    for (const command of ['up', 'run', 'report', 'config', 'completion']) expect(values).toContain(command);
    expect(values).not.toContain('__complete');
    expect(await complete('re')).toEqual({ values: ['report', 'render'], directive: ':4' });
    expect((await complete('config', '')).values).toEqual(['print', 'check', 'schema']);
    expect((await runCommand(['__complete', '--', 'conf'])).stdout).toBe(
      'config\tshow and check the configuration\n:4\n',
    );
  });

  it('knows options of each command', async () => {
    expect((await complete('report', '--all')).values).toEqual(['--all-namespaces']);
    expect((await complete('config', 'print', '--ch')).values).toEqual(['--changed']);
    expect((await complete('up', '--')).values).toContain('--help');
  });

  it('knows the values of options, however they are written', async () => {
    expect((await complete('run', '--log-format', '')).values).toEqual(['json', 'text']);
    expect((await complete('run', '--log-format=t')).values).toEqual(['--log-format=text']);
    // bash makes three words of it.
    expect((await complete('run', '--log-format', '=', 't')).values).toEqual(['text']);
    expect((await complete('run', '--log-format', '=')).values).toEqual(['json', 'text']);
    expect((await complete('report', '-o', 'js')).values).toEqual(['json']);
    expect((await complete('completion', '')).values).toEqual([...shells]);
  });

  it('leaves files to the shell where a file is meant', async () => {
    expect(await complete('run', '--config', '')).toEqual({ values: [], directive: ':0' });
    expect(await complete('apply', 'policies/')).toEqual({ values: [], directive: ':0' });
    expect(await complete('report', '--namespace', '')).toEqual({ values: [], directive: ':4' });
  });

  it('takes nothing for its own that belongs to kubectl, or follows dashes', async () => {
    expect(await complete('kubectl', 'get', '--na')).toEqual({ values: [], directive: ':0' });
    expect(await complete('apply', '--', '--out')).toEqual({ values: [], directive: ':0' });
    expect((await runCommand(['__complete', '--empty', '--', 'config'])).stdout).toContain('check\t');
  });

  it('prints a script for each shell, and refuses others', async () => {
    for (const shell of shells) {
      const { code, stdout } = await runCommand(['completion', shell]);
      expect(code).toBe(0);
      expect(stdout).toContain('__complete');
    }
    expect((await runCommand(['completion', 'tcsh'])).code).toBe(2);
  });

  it.skipIf(bash === undefined)('completes in bash', () => {
    const answers = (line: string) => {
      const words = line.split(' ');
      const script = `${completionScripts.bash}
supercargo() { [ "$*" = "__complete -- report --all" ] && printf -- '--all-namespaces\\tall\\n:4\\n' || printf ':0\\n'; }
COMP_WORDS=(${words.map((word) => JSON.stringify(word)).join(' ')}); COMP_CWORD=${words.length - 1}
_supercargo 2>/dev/null; printf '%s\\n' "\${COMPREPLY[@]}"`;
      return spawnSync(bash!, ['-c', script], { encoding: 'utf8' }).stdout;
    };
    expect(answers('supercargo report --all')).toBe('--all-namespaces\n');
    expect(answers('supercargo apply package.js')).toBe('package.json\n');
  });
});
