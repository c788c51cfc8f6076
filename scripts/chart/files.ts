import { readFileSync } from 'node:fs';
import { customResourceDefinitions } from '../../src/api/index.ts';
import { mirrorObjects, partObjects, sharedObjects } from '../../src/app/chart/objects.ts';
import type { InstallTemplate } from '../../src/app/chart/scope.ts';
import { Node } from '../../src/app/chart/template.ts';
import { renderYaml } from '../../src/base/index.ts';
import { renderHelm } from './helm-text.ts';
import { helpers } from './helpers.ts';
import { uninstallHook } from './hook.ts';
import { valuesSchema } from './schema.ts';
import { notes, validation } from './validate.ts';
import { valuesYaml } from './values-yaml.ts';

export interface ChartFile {
  /** Relative to the chart. */
  readonly file: string;
  readonly text: string;
}

const written = '{{- /* Written by npm run generate:chart from src/app/chart. */ -}}\n';
const names = '{{- $installation := include "supercargo.installation" $ }}\n';

/** The expected files of charts/supercargo. */
export function chartFiles(): readonly ChartFile[] {
  const { version, description } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  ) as Record<'version' | 'description', string>;
  const templates = (objects: Readonly<Record<string, readonly InstallTemplate[]>>, wrap: (text: string) => string) =>
    Object.entries(objects).map(([name, list]) => ({
      file: `templates/${name}.yaml`,
      text: `${written}${names}${wrap(list.map(document).join(''))}`,
    }));
  return [
    {
      file: 'Chart.yaml',
      text: renderYaml({
        apiVersion: 'v2',
        name: 'supercargo',
        description,
        type: 'application',
        version,
        appVersion: version,
        // Webhooks with match conditions.
        kubeVersion: '>=1.28.0-0',
        keywords: ['policy', 'admission', 'images', 'registry', 'gitops'],
        annotations: { 'artifacthub.io/license': 'Apache-2.0', 'artifacthub.io/operator': 'true' },
      }),
    },
    { file: 'values.yaml', text: valuesYaml() },
    { file: 'values.schema.json', text: `${JSON.stringify(valuesSchema(), null, 2)}\n` },
    { file: '.helmignore', text: '.DS_Store\n*.orig\n*.tgz\n' },
    { file: 'templates/_helpers.tpl', text: helpers() },
    { file: 'templates/validate.yaml', text: validation },
    { file: 'templates/NOTES.txt', text: notes },
    { file: 'templates/crds.yaml', text: `${written}${crds}` },
    ...templates(sharedObjects, (text) => text),
    ...templates(partObjects, (text) => `${eachPart}${text}{{- end }}\n`),
    ...templates(mirrorObjects, (text) => `${eachPart}${text}{{- end }}\n`),
    {
      file: 'templates/uninstall-hook.yaml',
      text: `${written}${names}{{- if .Values.uninstallHook.enabled }}\n${uninstallHook.map(document).join('')}{{- end }}\n`,
    },
    {
      file: 'templates/extra-objects.yaml',
      text: `${written}{{- range .Values.extraObjects }}\n---\n{{ tpl (toYaml .) $ }}\n{{- end }}\n`,
    },
    ...customResourceDefinitions('').map((definition) => ({
      file: `files/crds/${definition.metadata.name}.yaml`,
      text: renderYaml(definition),
    })),
  ];
}

const eachPart = '{{- range $part := (include "supercargo.parts" $ | fromJson).parts }}\n';

/** An object, or those of a condition, each as a document of its own. */
function document(template: InstallTemplate): string {
  if (Array.isArray(template)) return template.map((one: InstallTemplate) => document(one)).join('');
  if (!(template instanceof Node)) return `---\n${renderHelm(template)}`;
  const { content } = template;
  if (content.type === 'choice') return `{{- if ${content.condition.helm} }}\n${document(content.then)}{{- end }}\n`;
  if (content.type === 'each')
    return `{{- range $item := ${content.list.helm} }}\n${document(content.body)}{{- end }}\n`;
  throw new Error(`a ${content.type} is no object`);
}

/**
 * From files, so that nothing in a description is taken for a template. Helm would refuse one that is there already, or
 * take one of another release for its own.
 */
const crds = `{{- if .Values.crds.install }}
{{- $foreign := (include "supercargo.foreignDefinitions" . | fromJson).names }}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" }}
{{- $crd := $.Files.Get $path | fromYaml }}
{{- $isChosen := not (has $crd.metadata.name $foreign) }}
{{- if and (has $crd.spec.group (list "kyverno.io" "policies.kyverno.io")) (not $.Values.crds.kyverno) }}{{ $isChosen = false }}{{ end }}
{{- if and (eq $crd.spec.group "wgpolicyk8s.io") (not $.Values.crds.reports) }}{{ $isChosen = false }}{{ end }}
{{- if $isChosen }}
{{- $labels := dict "supercargo.dev/owner" (include "supercargo.installation" $) "app.kubernetes.io/managed-by" $.Release.Service }}
{{- $_ := set $crd.metadata "labels" (merge $labels ($crd.metadata.labels | default dict)) }}
{{- if $.Values.crds.keep }}
{{- $_ := set $crd.metadata "annotations" (merge (dict "helm.sh/resource-policy" "keep") ($crd.metadata.annotations | default dict)) }}
{{- end }}
---
{{ toYaml $crd }}
{{- end }}
{{- end }}
{{- end }}
`;
