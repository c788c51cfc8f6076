import { ownConfig } from '../../src/app/chart/objects.ts';
import { defaultFeatures } from '../../src/app/features/index.ts';
import { defaultParts } from '../../src/app/install-parts.ts';
import { renderHelm } from './helm-text.ts';

const listOf = (words: readonly string[]) => `(list ${words.map((word) => JSON.stringify(word)).join(' ')})`;

const standardParts = defaultParts
  .map(({ name, features }) => `(dict "name" ${JSON.stringify(name)} "features" ${listOf(features)})`)
  .join(' ');

/** What several templates need: names, the parts, and the configuration of a part. */
export const helpers = () =>
  `{{/* Written by npm run generate:chart. */}}

{{- define "supercargo.installation" -}}
{{- $name := .Release.Name -}}
{{- if not (contains .Values.nameOverride $name) }}{{ $name = printf "%s-%s" $name .Values.nameOverride }}{{ end -}}
{{- .Values.fullnameOverride | default $name | trunc 40 | trimSuffix "-" -}}
{{- end }}

{{- define "supercargo.image" -}}
{{- $image := printf "%s/%s" .Values.image.registry .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $image .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image (.Values.image.tag | default .Chart.AppVersion) -}}
{{- end -}}
{{- end }}

{{/* The Deployments: those that are named, or the standard ones with the features that are on. */}}
{{- define "supercargo.parts" -}}
{{- $parts := .Values.parts -}}
{{- if not $parts -}}
{{- $features := .Values.features -}}
{{- if not $features -}}
{{- $features = ${listOf(defaultFeatures)} -}}
{{- if .Values.mirror.registry }}{{ $features = append $features "mirror" }}{{ end -}}
{{- end -}}
{{- $parts = list -}}
{{- range $standard := list ${standardParts} -}}
{{- $chosen := list -}}
{{- range $standard.features }}{{ if has . $features }}{{ $chosen = append $chosen . }}{{ end }}{{ end -}}
{{- if $chosen }}{{ $parts = append $parts (dict "name" $standard.name "features" $chosen) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- dict "parts" $parts | toJson -}}
{{- end }}

{{- define "supercargo.writesDetections" -}}
{{- range (include "supercargo.parts" . | fromJson).parts }}{{ if or (has "detect" .features) (has "create" .features) }}true{{ end }}{{ end -}}
{{- end }}

{{/* A list in CEL. */}}
{{- define "supercargo.detectionWriters" -}}
{{- $root := . -}}
{{- $users := list -}}
{{- range (include "supercargo.parts" . | fromJson).parts -}}
{{- if or (has "detect" .features) (has "create" .features) -}}
{{- $users = append $users (printf "system:serviceaccount:%s:%s-%s" $root.Release.Namespace (include "supercargo.installation" $root) .name) -}}
{{- end -}}
{{- end -}}
{{- $quoted := list -}}
{{- range concat $users .Values.detection.users }}{{ $quoted = append $quoted (printf "'%s'" (. | replace "\\\\" "\\\\\\\\" | replace "'" "\\\\'")) }}{{ end -}}
[{{ join ", " $quoted }}]
{{- end }}

{{/* The settings that follow from the installation; they take precedence over .Values.config. */}}
{{- define "supercargo.ownConfig" -}}
{{- $root := .root -}}
{{- $part := .part -}}
{{- $installation := include "supercargo.installation" $root }}
${renderHelm(ownConfig)}{{- end }}

{{- define "supercargo.config" -}}
{{- mergeOverwrite (deepCopy .root.Values.config) (include "supercargo.ownConfig" . | fromYaml) | toYaml -}}
{{- end }}
`.replaceAll(/(?<=define "supercargo.ownConfig"[\s\S]*?)\$\.(Values|Release)/g, '$root.$1');
