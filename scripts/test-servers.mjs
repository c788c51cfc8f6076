// Runs the tests of test/servers: they need git and, in parts, sshd; what is missing is skipped with its reason.
import { build, install, runPackage } from './prepare.mjs';

install();
build();
runPackage('vitest/vitest.mjs', ['run', '--config', 'vitest.servers.config.ts', ...process.argv.slice(2)]);
