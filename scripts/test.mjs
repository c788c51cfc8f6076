// npm test: everything that needs only Node.
import { build, install, runPackage } from './prepare.mjs';

install();
build();
runPackage('vitest/vitest.mjs', ['run', ...process.argv.slice(2)]);
