// Format, lint and types.
import { install, runPackage } from './prepare.mjs';

install();
runPackage('@biomejs/biome/bin/biome', ['ci', '--error-on-warnings']);
runPackage('typescript/bin/tsc', ['--noEmit']);
runPackage('typescript/bin/tsc', ['--noEmit', '--project', 'ui']);
