// Format, lint and types.
import { install, runPackage } from './prepare.mjs';

install();
runPackage('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings']);
runPackage('typescript/bin/tsc', ['--noEmit']);
// What runs in a browser, and what tests it, knows the DOM.
for (const project of ['ui', 'test/servers/page']) runPackage('typescript/bin/tsc', ['--noEmit', '--project', project]);
