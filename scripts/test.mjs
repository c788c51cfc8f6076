// npm test: everything that needs nothing but Node.
import { build, install, runPackage } from './prepare.mjs';

install();
build();
runPackage('vitest/vitest.mjs', ['run', ...process.argv.slice(2)]);
