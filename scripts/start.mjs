// npm start: the embedded cluster with a guided demo.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { build, install, root } from './prepare.mjs';

install();
build();
const child = spawn(process.execPath, [join(root, 'bin', 'supercargo'), 'up', ...process.argv.slice(2)], {
  stdio: 'inherit',
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  process.exitCode = code ?? (signal === 'SIGINT' ? 130 : 143);
});
