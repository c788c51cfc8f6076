import { fixedSettings } from '../../src/app/chart/objects.ts';
import { reservedPartNames } from '../../src/app/install-refusals.ts';

const fixed = Object.entries(fixedSettings)
  .map(([section, keys]) => `"${section}" (list ${keys.map((key) => `"${key}"`).join(' ')})`)
  .join(' ');

/** Labels and annotations that objects have already, or that would give rights: a key of YAML counts once. */
const ownKeys =
  '^(app\\.kubernetes\\.io/(name|instance|component|managed-by)|helm\\.sh/.*|control-plane|supercargo\\.dev/.*|rbac\\.authorization\\.k8s\\.io/.*)$';

/** Refuses what would not work, or would harm the cluster. */
export const validation = `{{- /* Written by npm run generate:chart. */ -}}
{{- $parts := (include "supercargo.parts" . | fromJson).parts -}}
{{- $installation := include "supercargo.installation" . -}}
{{- if eq .Release.Namespace "kube-system" }}
{{- fail "kube-system is exempt from admission and holds the control plane: install into a namespace of its own, with --namespace supercargo --create-namespace" }}
{{- end }}
{{- $metrics := .Values.metrics }}
{{- range $value, $given := dict "extraLabels" .Values.extraLabels "podLabels" .Values.podLabels "podAnnotations" .Values.podAnnotations "metrics.serviceMonitor.labels" $metrics.serviceMonitor.labels "metrics.prometheusRule.labels" $metrics.prometheusRule.labels "metrics.grafana.labels" $metrics.grafana.labels }}
{{- range $key, $_ := $given }}
{{- if regexMatch ${JSON.stringify(ownKeys)} $key }}{{ fail (printf "%s: %s is set by the chart: leave it out" $value $key) }}{{ end }}
{{- end }}
{{- end }}
{{- if not $parts }}
{{- fail "no feature is on: name some in features or parts" }}
{{- end }}
{{- $names := list }}
{{- $features := list }}
{{- range $part := $parts }}
{{- if has $part.name $names }}{{ fail (printf "parts: %s is named twice" $part.name) }}{{ end }}
{{- if has $part.name (list ${reservedPartNames.map((name) => JSON.stringify(name)).join(' ')}) }}{{ fail (printf "parts: %s is in the names of other objects of an installation: choose another" $part.name) }}{{ end }}
{{- $names = append $names $part.name }}
{{- range $part.features }}
{{- if has . $features }}{{ fail (printf "parts: the feature %s is in two parts; two of them would do the same work" .) }}{{ end }}
{{- $features = append $features . }}
{{- end }}
{{- $replicas := int (hasKey $part "replicas" | ternary $part.replicas $.Values.replicas) }}
{{- $budget := $.Values.podDisruptionBudget }}
{{- if and $budget.enabled $budget.minAvailable (ge (int $budget.minAvailable) $replicas) (gt $replicas 0) }}
{{- fail (printf "podDisruptionBudget.minAvailable %d with %d replicas of %s lets no node be drained: lower it, or raise replicas" (int $budget.minAvailable) $replicas $part.name) }}
{{- end }}
{{- if and (gt $replicas 1) (eq (toString (dig "leaderElection" "enabled" true $.Values.config)) "false") }}
{{- fail (printf "config.leaderElection.enabled false with %d replicas of %s: each would lead" $replicas $part.name) }}
{{- end }}
{{- end }}
{{- if and (has "mirror" $features) (not .Values.mirror.registry) (not (dig "mirror" "registry" "" .Values.config)) }}
{{- fail "the feature mirror needs a registry to copy to: set mirror.registry" }}
{{- end }}
{{- if and .Values.mirror.namespaces (not (has "mirror" $features)) }}
{{- fail "mirror.namespaces needs the feature mirror: set mirror.registry" }}
{{- end }}
{{- range $section, $keys := dict ${fixed} }}
{{- range $keys }}
{{- if hasKey (dig $section dict $.Values.config) . }}{{ fail (printf "config.%s.%s follows from the chart's Service: leave it out" $section .) }}{{ end }}
{{- end }}
{{- end }}
{{- $page := .Values.dashboard }}
{{- if and $page.ingress.enabled (not (has "dashboard" $features)) }}
{{- fail "dashboard.ingress needs the feature dashboard: name it in features" }}
{{- end }}
{{- if and $page.ingress.enabled (not $page.ingress.hosts) }}
{{- fail "dashboard.ingress needs host names: set dashboard.ingress.hosts" }}
{{- end }}
{{- if and (ne $page.service.type "ClusterIP") (not $page.tls.existingSecret) }}
{{- fail (printf "a Service of type %s would carry the tokens of users in plain text: set dashboard.tls.existingSecret" $page.service.type) }}
{{- end }}
{{- if and .Values.webhook.certManager.enabled (dig "webhook" "tls" "secretName" "" .Values.config) }}
{{- fail "choose one of webhook.certManager and config.webhook.tls.secretName" }}
{{- end }}
{{- $serving := (include "supercargo.servingParts" . | fromJson).names }}
{{- if and $serving .Values.uninstallHook.enabled (not .Values.rbac.create) }}
{{- fail (printf "with rbac.create=false the uninstall hook has no rights: set uninstallHook.enabled=false and, before helm uninstall, take the right to write webhook configurations from the accounts and run supercargo uninstall --webhooks-only --namespace %s --installation %s" .Release.Namespace $installation) }}
{{- end }}
{{- $formerName := include "supercargo.formerName" . }}
{{- if $formerName }}
{{- fail (printf "this release is the installation %s, and an installation cannot be renamed: set fullnameOverride=%s, or run helm uninstall first, which keeps definitions and policies" $formerName $formerName) }}
{{- end }}
{{- $former := (include "supercargo.formerParts" . | fromJson).names }}
{{- if and $former (not .Values.uninstallHook.enabled) }}
{{- $services := list }}
{{- range $former }}{{ $services = append $services (printf "%s-%s-webhook" $installation .) }}{{ end }}
{{- range $kind := list "MutatingWebhookConfiguration" "ValidatingWebhookConfiguration" }}
{{- range $configuration := (lookup "admissionregistration.k8s.io/v1" $kind "" "").items }}
{{- range $webhook := $configuration.webhooks }}
{{- $service := dig "clientConfig" "service" dict $webhook }}
{{- if and (eq (dig "namespace" "" $service) $.Release.Namespace) (has (dig "name" "" $service) $services) }}
{{- fail (printf "the webhooks of %s would have no program, and block the cluster: set uninstallHook.enabled=true, or first take the right to write them from its account and delete them (%s)" $service.name $configuration.metadata.name) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
`;

export const notes = `{{- $installation := include "supercargo.installation" . -}}
{{- $parts := (include "supercargo.parts" . | fromJson).parts -}}
{{- $features := list -}}
{{- range $parts }}{{ $features = concat $features .features }}{{ end -}}
Supercargo {{ .Chart.AppVersion }} runs in namespace {{ .Release.Namespace }}, as {{ range $index, $part := $parts }}{{ if $index }}, {{ end }}{{ $part.name }} ({{ join ", " $part.features }}){{ end }}.
{{ if eq .Release.Namespace "default" }}
WARNING: policies do not count in the namespace default, because that of the installation is exempt from its webhooks.
{{ end }}
1. Wait until it is ready, and see what it found:

     kubectl -n {{ .Release.Namespace }} rollout status deployment -l app.kubernetes.io/instance={{ $installation }}
     kubectl -n {{ .Release.Namespace }} logs -l app.kubernetes.io/instance={{ $installation }} --tail=20
{{ if has "admission" $features }}
2. Try a policy on files before the cluster enforces it, then apply it:

     supercargo apply policy.yaml -r manifests/
     kubectl apply -f policy.yaml
     kubectl get clusterpolicies
{{ end }}
{{- if has "report" $features }}
   Reports about what runs already:

     kubectl get policyreports,clusterpolicyreports -A
{{ end }}
{{- if has "mirror" $features }}
   Copies of images: label a namespace, and its workloads are rewritten once the copies can be pulled:

     kubectl label namespace NAME image-clone-controller=enabled
     kubectl get mirroredimages
{{ else }}
   To copy every image to a registry of yours, set mirror.registry.
{{ end }}
{{- range $part := $parts }}
{{- if has "dashboard" $part.features }}
   The page of images:
{{ if $.Values.dashboard.ingress.enabled }}{{ range $.Values.dashboard.ingress.hosts }}
     https://{{ . }}/
{{- end }}
{{ else }}
     kubectl -n {{ $.Release.Namespace }} port-forward service/{{ $installation }}-{{ $part.name }} 8090:{{ if $.Values.dashboard.tls.existingSecret }}https{{ else }}http{{ end }}
{{ end }}
{{- end }}
{{- end }}
{{- if or (has "sync" $features) (has "jobs" $features) }}
   Insights needs the Secret {{ .Values.insights.existingSecret }} with token, org and cluster in this namespace.
{{ end }}
{{- if .Values.crds.install }}
{{- with (include "supercargo.foreignDefinitions" . | fromJson).names }}
   Definitions that are not of this release are left as they are: {{ join ", " . }}.
{{ end }}
{{- end }}
{{- if lt (int .Values.replicas) 2 }}
   With one replica, requests that a policy reviews fail while its pod is replaced: set replicas to 2 or more.
{{ end }}
helm uninstall removes the webhooks first and {{ if .Values.crds.keep }}keeps the definitions with all policies and reports{{ else }}DELETES the definitions with all policies and reports: crds.keep is false{{ end }}.
`;
