// npm start: the embedded cluster with a guided demo.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './prepare.mjs';

install();
build();
const child = spawn(process.execPath, [join(root, 'bin', 'supercargo'), 'up', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
// A terminal sends Ctrl-C to the whole process group, so the child already has it.
process.on('SIGINT', () => process.stdin.isTTY || child.kill('SIGINT'));
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
});
