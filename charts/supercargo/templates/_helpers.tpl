{{/* Written by npm run generate:chart. */}}

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
{{- $features = (list "admission" "detect" "create" "report" "cleanup" "generate") -}}
{{- if .Values.mirror.registry }}{{ $features = append $features "mirror" }}{{ end -}}
{{- end -}}
{{- $parts = list -}}
{{- range $standard := list (dict "name" "policies" "features" (list "admission" "generate" "report" "cleanup")) (dict "name" "mirror" "features" (list "mirror")) (dict "name" "automation" "features" (list "detect" "create")) (dict "name" "insights" "features" (list "sync" "jobs")) (dict "name" "dashboard" "features" (list "dashboard")) -}}
{{- $chosen := list -}}
{{- range $standard.features }}{{ if has . $features }}{{ $chosen = append $chosen . }}{{ end }}{{ end -}}
{{- if $chosen }}{{ $parts = append $parts (dict "name" $standard.name "features" $chosen) }}{{ end -}}
{{- end -}}
{{- end -}}
{{- dict "parts" $parts | toJson -}}
{{- end }}

{{/* The features of all parts. */}}
{{- define "supercargo.features" -}}
{{- $names := list -}}
{{- range (include "supercargo.parts" . | fromJson).parts }}{{ $names = concat $names .features }}{{ end -}}
{{- dict "names" $names | toJson -}}
{{- end }}

{{/* The names of the parts with webhooks. */}}
{{- define "supercargo.servingParts" -}}
{{- $names := list -}}
{{- range $part := (include "supercargo.parts" . | fromJson).parts -}}
{{- if (or (has "admission" $part.features) (has "mirror" $part.features)) }}{{ $names = append $names $part.name }}{{ end -}}
{{- end -}}
{{- dict "names" $names | toJson -}}
{{- end }}

{{/* Likewise of the parts of the release in the cluster that have none in this upgrade. */}}
{{- define "supercargo.formerParts" -}}
{{- $root := . -}}
{{- $names := list -}}
{{- if .Release.IsUpgrade -}}
{{- $installation := include "supercargo.installation" . -}}
{{- $serving := (include "supercargo.servingParts" . | fromJson).names -}}
{{- range $service := (lookup "v1" "Service" .Release.Namespace "").items -}}
{{- $labels := $service.metadata.labels | default dict -}}
{{- $name := index $labels "app.kubernetes.io/component" -}}
{{- if and $name (eq (index $labels "supercargo.dev/owner" | default "") $installation) (eq $service.metadata.name (printf "%s-%s-webhook" $installation $name)) (not (has $name $serving)) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "names" $names | toJson -}}
{{- end }}

{{/* The name under which this release is in the cluster, if it is another one. */}}
{{- define "supercargo.formerName" -}}
{{- $root := . -}}
{{- $former := "" -}}
{{- $isKnown := false -}}
{{- if .Release.IsUpgrade -}}
{{- $installation := include "supercargo.installation" . -}}
{{- $chart := printf "^%s-[0-9]" (regexQuoteMeta .Chart.Name) -}}
{{- range $deployment := (lookup "apps/v1" "Deployment" .Release.Namespace "").items -}}
{{- $owner := dig "labels" "supercargo.dev/owner" "" $deployment.metadata -}}
{{- if and $owner (eq (dig "annotations" "meta.helm.sh/release-name" "" $deployment.metadata) $root.Release.Name) (regexMatch $chart (dig "labels" "helm.sh/chart" "" $deployment.metadata)) -}}
{{- if eq $owner $installation }}{{ $isKnown = true }}{{ else }}{{ $former = $owner }}{{ end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not $isKnown }}{{ $former }}{{ end -}}
{{- end }}

{{/* The definitions that are in the cluster already, and not of this release: they are left as they are. */}}
{{- define "supercargo.foreignDefinitions" -}}
{{- $root := . -}}
{{- $names := list -}}
{{- range $path, $_ := .Files.Glob "files/crds/*.yaml" -}}
{{- $name := base $path | trimSuffix ".yaml" -}}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" $name -}}
{{- if $live -}}
{{- $of := dig "annotations" "meta.helm.sh/release-name" "" $live.metadata -}}
{{- $in := dig "annotations" "meta.helm.sh/release-namespace" "" $live.metadata -}}
{{- $by := dig "labels" "app.kubernetes.io/managed-by" "" $live.metadata -}}
{{- if or (ne $of $root.Release.Name) (ne $in $root.Release.Namespace) (ne $by $root.Release.Service) -}}
{{- $names = append $names $name -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- dict "names" $names | toJson -}}
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
{{- range concat $users .Values.detection.users }}{{ $quoted = append $quoted (printf "'%s'" (. | replace "\\" "\\\\" | replace "'" "\\'")) }}{{ end -}}
[{{ join ", " $quoted }}]
{{- end }}

{{/* The settings that follow from the installation; they take precedence over .Values.config. */}}
{{- define "supercargo.ownConfig" -}}
{{- $root := .root -}}
{{- $part := .part -}}
{{- $installation := include "supercargo.installation" $root }}
installation: {{ $installation | toJson }}
namespace: {{ $root.Release.Namespace | toJson }}
features: {{- toYaml $part.features | nindent 2 }}
server:
  host: "0.0.0.0"
  port: 8080
{{- if (has "dashboard" $part.features) }}
dashboard:
  host: "0.0.0.0"
  {{- if $root.Values.dashboard.tls.existingSecret }}
  tls:
    certificateFile: /var/run/supercargo/dashboard-tls/tls.crt
    keyFile: /var/run/supercargo/dashboard-tls/tls.key
  {{- end }}
{{- end }}
{{- if (or (has "admission" $part.features) (has "mirror" $part.features)) }}
webhook:
  service:
    name: {{ (printf "%s-%s-webhook" $installation $part.name) | toJson }}
  {{- if $root.Values.webhook.certManager.enabled }}
  tls:
    secretName: {{ (printf "%s-%s-webhook" $installation $part.name) | toJson }}
  {{- end }}
{{- end }}
{{- if (or $root.Values.mirror.registry $root.Values.webhook.failurePolicy) }}
mirror:
  {{- if $root.Values.mirror.registry }}
  registry: {{ $root.Values.mirror.registry | toJson }}
  {{- end }}
  {{- if $root.Values.webhook.failurePolicy }}
  failurePolicy: {{ $root.Values.webhook.failurePolicy | toJson }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "supercargo.config" -}}
{{- mergeOverwrite (deepCopy .root.Values.config) (include "supercargo.ownConfig" . | fromYaml) | toYaml -}}
{{- end }}
