/** The completion scripts in the shells they are for, each in a terminal, with the real program. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { supercargo } from '../support/program.ts';
import { findOnPath } from '../support/search-path.ts';
import { eventually } from '../support/wait.ts';

const shells = [
  { name: 'bash', start: 'bash --norc --noprofile -i', list: '\t\t', load: 'source <(supercargo completion bash)' },
  {
    name: 'zsh',
    start: 'zsh -f -i',
    list: '\t',
    load: 'autoload -Uz compinit; compinit -u -D; source <(supercargo completion zsh)',
  },
  { name: 'fish', start: 'fish --no-config -i', list: '\t', load: 'supercargo completion fish | source' },
] as const;
const terminal = await findOnPath('script');
const slow = { timeoutMs: 60_000, intervalMs: 50 };

for (const { name, start, list, load } of shells) {
  const missing = missingOf(`completion in ${name}`, { script: terminal, [name]: await findOnPath(name) });

  describe.skipIf(missing !== undefined)(`completion in ${name}`, () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'supercargo-completion-'));
    let shell: ChildProcess;
    let shown = '';
    const type = (keys: string) => {
      shown = '';
      shell.stdin!.write(keys);
    };
    beforeAll(async () => {
      symlinkSync(supercargo, path.join(folder, 'supercargo'));
      for (const file of ['settings.yaml', 'two words.yaml']) writeFileSync(path.join(folder, file), '');
      const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, TERM: 'vt100', LC_ALL: 'C.UTF-8' };
      shell = spawn(terminal!, ['-qec', start, '/dev/null'], { cwd: folder, env });
      shell.stdout!.on('data', (text) => {
        shown += text;
      });
      type(`${load}; printf 'is %s\\n' loaded\r`);
      await eventually(() => expect(shown).toContain('is loaded'), slow);
    });
    afterAll(async () => {
      const ended = new Promise((resolve) => shell.once('close', resolve));
      shell.stdin!.end();
      shell.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    });

    /** The words of a command line after the key Tab. */
    const complete = async (line: string) => {
      // To the start of the line, and a command that prints the words.
      type(`${line}\t\u0001printf '<%s>' \r`);
      return eventually(() => {
        const [found] = /<supercargo>(?:<[^<>]*>)+/.exec(shown) ?? [];
        if (found === undefined) throw new Error(`nothing is completed: ${JSON.stringify(shown)}`);
        return found.slice(1, -1).split('><').slice(1);
      }, slow);
    };

    it('completes commands, options, values and files', async () => {
      expect(await complete('supercargo conf')).toEqual(['config']);
      expect(await complete('supercargo config pr')).toEqual(['config', 'print']);
      expect(await complete('supercargo report --all')).toEqual(['report', '--all-namespaces']);
      expect(await complete('supercargo run --log-format te')).toEqual(['run', '--log-format', 'text']);
      expect(await complete('supercargo run --log-format=te')).toEqual(['run', '--log-format=text']);
      expect(await complete('supercargo run --config sett')).toEqual(['run', '--config', 'settings.yaml']);
      expect(await complete('supercargo run --config two')).toEqual(['run', '--config', 'two words.yaml']);
    });

    it('shows what can follow', async () => {
      type(`supercargo re${list}`);
      await eventually(() => {
        for (const word of ['render', 'report']) expect(shown).toContain(word);
      }, slow);
      // Gives the line up.
      type('\u0015');
    });

    it('runs nothing of the line that is completed', async () => {
      const line = `supercargo apply '$(touch made)' '\`touch made\`' '; touch made' --out`;
      expect((await complete(line)).at(-1)).toBe('--output');
      expect(existsSync(path.join(folder, 'made'))).toBe(false);
    });
  });
}

/** Answers where the tree of a script has an error. */
const findErrors = `
import sys
from tree_sitter import Language, Parser
import tree_sitter_powershell
source = sys.stdin.buffer.read()
def visit(node):
    if node.type == 'ERROR' or node.is_missing:
        print(node.start_point.row + 1, node.type, source[node.start_byte:node.end_byte].decode())
    for child in node.children:
        visit(child)
visit(Parser(Language(tree_sitter_powershell.language())).parse(source).root_node)
`;

import { missingOf } from '../support/skip.ts';

const cache = process.env['XDG_CACHE_HOME'] || path.join(homedir(), '.cache');
const python = path.join(cache, 'supercargo/powershell/bin/python');
const noGrammar = missingOf('the completion script for PowerShell', { 'its grammar': existsSync(python) });

/** PowerShell is in none of the registries that our servers come from: its script is parsed, and never run. */
describe.skipIf(noGrammar !== undefined)('the completion script for PowerShell', () => {
  const errorsOf = (script: string) => {
    const { stdout, stderr, status } = spawnSync(python, ['-c', findErrors], { input: script, encoding: 'utf8' });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    return stdout;
  };

  it('has the syntax of the language', () => {
    const { stdout } = spawnSync(supercargo, ['completion', 'powershell'], { encoding: 'utf8' });
    expect(stdout).toContain('Register-ArgumentCompleter');
    expect(errorsOf(stdout)).toBe('');
    expect(errorsOf(stdout.replace('} else {', '} else'))).not.toBe('');
    expect(errorsOf(stdout.slice(0, -3))).not.toBe('');
  });
});
