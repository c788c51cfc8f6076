/**
 * An executable file's text that runs this JavaScript (CommonJS) with the Node of the tests: for stand-ins of programs
 * that are called by path. No other program has to be installed but the shell.
 */
export const nodeProgram = (source: string): string =>
  // The second line is a command to the shell, and to Node a string with a comment. A #! line with the path of Node
  // itself would break at a space in it.
  `#!/bin/sh\n':' //; exec '${process.execPath.replaceAll("'", `'\\''`)}' "$0" "$@"\n${source}\n`;
