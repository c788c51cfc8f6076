import { readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.join(import.meta.dirname, '../..');

/** A fenced block of a page, without the indentation of a list that it is in. */
export interface CodeBlock {
  readonly page: string;
  /** The line of its first line. */
  readonly line: number;
  /** `sh` is run as it is, `console` shows commands with what they print; others have no command. */
  readonly language: string;
  readonly text: string;
}

export interface DocumentedLine {
  readonly where: string;
  readonly command: string;
  /** What the page shows below it; only in `console` blocks. */
  readonly printed?: string;
}

export function codeBlocksOf(page: string): readonly CodeBlock[] {
  const text = readFileSync(path.join(root, page), 'utf8');
  return [...text.matchAll(/^( *)```([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(([, indent, language, code], i, all) => ({
    page,
    line: text.slice(0, all[i]!.index).split('\n').length + 1,
    language: language!.trim(),
    text: code!.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  }));
}

/** The commands that a block says to run, each as one line without its comment. */
export function linesOf({ page, line, language, text }: CodeBlock): readonly DocumentedLine[] {
  if (language !== 'sh' && language !== 'console') return [];
  const found: { where: string; command: string; printed?: string }[] = [];
  for (const [i, each] of text
    .replaceAll(/\\\n\s*/g, '')
    .trimEnd()
    .split('\n')
    .entries()) {
    const command = language === 'sh' ? each : /^\$ (.*)$/.exec(each)?.[1];
    const last = found.at(-1);
    if (command !== undefined) {
      if (/^\s*(?:#.*)?$/.test(command)) continue;
      found.push({
        where: `${page}:${line + i}`,
        command: command.replace(/\s+#\s.*$/, ''),
        ...(language === 'console' ? { printed: '' } : {}),
      });
    } else if (last !== undefined) last.printed += `${each}\n`;
  }
  return found;
}

/** Each command in the text and the tables of a page, as written there. */
export function inlineCommandsOf(page: string): readonly DocumentedLine[] {
  const blocks = /^ *```[^\n]*\n[\s\S]*?^ *```$/gm;
  const text = readFileSync(path.join(root, page), 'utf8').replaceAll(blocks, (block) =>
    block.replaceAll(/[^\n]/g, ''),
  );
  return [...text.matchAll(/`([^`\n]+(?:\n[^`\n]+)?)`/g)]
    .map(({ index, 1: code }) => ({
      where: `${page}:${text.slice(0, index).split('\n').length}: ${code}`,
      command: code!.replaceAll(/\s+/g, ' ').replaceAll('\\|', '|'),
    }))
    .filter(({ command }) => /^(?:\w+=\S+ )*(?:bin\/supercargo|supercargo|npm|npx|helm|kubectl) /.test(command));
}
