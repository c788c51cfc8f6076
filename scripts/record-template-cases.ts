// Records the output of Go's text/template and sprig for the cases of src/gotemplate; needs Go.
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { renderJson } from '../src/base/index.ts';
import { allCases } from '../src/gotemplate/cases/index.ts';
import { askGoTemplateOracle, locateGoTemplateOracle } from '../test/support/go-template-oracle.ts';

const oracle = await locateGoTemplateOracle();
if (oracle.path === undefined) {
  process.stderr.write(`${oracle.reason}\n`);
  process.exitCode = 1;
} else {
  const answers = await askGoTemplateOracle(oracle.path, allCases);
  const lines = allCases.map((item, i) => renderJson({ ...item, ...answers[i] }));
  const path = fileURLToPath(new URL('../src/gotemplate/cases/recorded.json', import.meta.url));
  await writeFile(path, `[\n${lines.join(',\n')}\n]\n`);
  process.stdout.write(`${lines.length} cases recorded\n`);
}
