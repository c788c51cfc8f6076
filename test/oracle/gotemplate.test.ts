import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseYamlDocuments, renderJson } from '../../src/base/index.ts';
import { fixture, type TemplateCase } from '../../src/gotemplate/cases/case.ts';
import { functionCases } from '../../src/gotemplate/cases/functions.ts';
import { generateCases } from '../../src/gotemplate/cases/generated.ts';
import { languageCases } from '../../src/gotemplate/cases/language.ts';
import { printingCases } from '../../src/gotemplate/cases/printing.ts';
import { answer } from '../../src/gotemplate/cases/run.ts';
import { askGoTemplateOracle, locateGoTemplateOracle } from '../support/go-template-oracle.ts';
import { locateTool, runTool } from '../support/kubectl.ts';
import { notLocated } from '../support/skip.ts';

const [go, kubectl, helm] = await Promise.all([locateGoTemplateOracle(), locateTool('kubectl'), locateTool('helm')]);
for (const tool of [go, kubectl, helm]) notLocated('the comparison of templates', tool);

/** What differs, in a form that shows the template. */
const differences = (cases: readonly TemplateCase[], theirs: readonly unknown[]) =>
  cases.flatMap((item, i) => {
    const ours = answer(item);
    return renderJson(ours) === renderJson(theirs[i]) ? [] : [{ template: item.template, ours, theirs: theirs[i] }];
  });

describe.skipIf(go.path === undefined)("against Go's text/template with sprig, live", () => {
  // Fixed seeds: a change is tested only by what it changed. SEED tries others.
  test.each([1, 2, 3])('random templates answer the same (%i)', async (run) => {
    const seed = Number(process.env['SEED'] ?? 2_136_153_028) + run;
    const cases = generateCases(seed, 400);
    expect(differences(cases, await askGoTemplateOracle(go.path!, cases)), `seed ${seed}`).toEqual([]);
  });
});

describe.skipIf(kubectl.path === undefined)('against kubectl -o go-template', () => {
  const data = {
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w' },
    spec: { ...fixture, big: 1, whole: 2 },
  };
  const isPlain = (template: string) => !/\$|define|block|break|fail|required|missing/.test(template);
  const known = [...languageCases, ...printingCases]
    .filter((item) => item.data === undefined && item.missingKey === undefined && isPlain(item.template))
    .map(
      ({ template }) =>
        ({
          template: `{{with .spec}}${template}{{end}}`,
          data,
          missingKey: 'default',
          functions: 'go',
          numbers: 'int64',
        }) as const,
    )
    .filter((item) => answer(item).error === undefined);

  test('templates of the language print the same', async () => {
    // One call for all: each text between marks that none of them contains.
    const template = known.map((item) => `${item.template}<<>>`).join('');
    const args = ['patch', '--local', '-f', '-', '--type=merge', '-p', '{}', '-o', `go-template=${template}`];
    const { stdout, stderr } = await runTool(kubectl.path!, args, renderJson(data));
    const theirs = stdout.split('<<>>').slice(0, -1);
    expect(theirs.length, stderr).toBe(known.length);
    expect(known.length).toBeGreaterThan(200);
    expect(
      differences(
        known,
        theirs.map((output) => ({ output })),
      ),
    ).toEqual([]);
  });
});

describe.skipIf(helm.path === undefined)('against helm template', () => {
  const data = { ...fixture, big: 1, whole: 2 };
  const known = functionCases
    .map(({ template }) => ({ template, data, missingKey: 'zero', numbers: 'float64' }) as const)
    .filter(
      ({ template }) =>
        !/define|fail|now|urlJoin|typeOf|%T|#v|fromYaml|fromJson|toYaml|deepEqual|required|toLower|toUpper/.test(
          template,
        ),
    )
    .filter((item) => answer(item).error === undefined);

  test('functions answer the same', async () => {
    const chart = await mkdtemp(join(tmpdir(), 'supercargo-chart-'));
    try {
      await mkdir(join(chart, 'templates'));
      await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: oracle\nversion: 1.0.0\n');
      await writeFile(join(chart, 'values.yaml'), renderJson(data));
      const definitions = known.map(({ template }, i) => `{{- define "case-${i}" }}${template}{{ end }}`).join('\n');
      const entries = known.map((_, i) => `  case-${i}: {{ include "case-${i}" .Values | b64enc | quote }}`).join('\n');
      const manifest = `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: answers }\ndata:\n${entries}\n`;
      await writeFile(join(chart, 'templates/answers.yaml'), `${definitions}\n${manifest}`);
      const { stdout, stderr } = await runTool(helm.path!, ['template', 'release', chart]);
      expect(stderr.replace(/^.*level=WARN.*\n/gm, '')).toBe('');
      const answers = (parseYamlDocuments(stdout)[0]!.value as unknown as { data: Record<string, string> }).data;
      const theirs = known.map((_, i) => ({
        output: Buffer.from(answers[`case-${i}`] ?? '', 'base64').toString('utf8'),
      }));
      expect(known.length).toBeGreaterThan(150);
      expect(differences(known, theirs)).toEqual([]);
    } finally {
      await rm(chart, { recursive: true, force: true });
    }
  });
});
