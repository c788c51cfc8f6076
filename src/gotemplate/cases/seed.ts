import { over, type TemplateCase } from './case.ts';

export const seedData = {
  ServiceName: 'frontend',
  Namespace: 'production',
  ImageName: 'webapp/frontend',
  ImageTag: 'v1.2.3',
  ImageDigest: 'sha256:abc123',
  FullImageName: '123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend:v1.2.3',
  ImageRepository: '123456789012.dkr.ecr.us-east-1.amazonaws.com/webapp/frontend',
  RepositoryName: 'webapp/frontend',
  Registry: '123456789012.dkr.ecr.us-east-1.amazonaws.com',
  Region: 'us-east-1',
  AccountID: '123456789012',
  K8sCompatibleName: 'webapp-frontend',
  TagPrefix: '',
  GitRepoURL: 'https://git.example.com/org/manifests.git',
  Variables: { namespace: 'production', environment: 'prod' },
  environment: 'prod',
};

/** The two templates that people copy from the seed's manual. */
export const deploymentTemplate = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .ServiceName }}
  namespace: {{ .Namespace | default "default" }}
  labels:
    app: {{ .ServiceName }}
    version: {{ .ImageTag }}
spec:
  replicas: 3
  selector:
    matchLabels:
      app: {{ .ServiceName }}
  template:
    metadata:
      labels:
        app: {{ .ServiceName }}
        version: {{ .ImageTag }}
    spec:
      containers:
      - name: {{ .ServiceName }}
        image: {{ .FullImageName }}
        ports:
        - containerPort: 8080
        env:
        - name: IMAGE_TAG
          value: "{{ .ImageTag }}"
        - name: IMAGE_DIGEST
          value: "{{ .ImageDigest }}"
`;

export const applicationTemplate = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {{ .ServiceName }}-{{ .ImageTag | replace "." "-" }}
  namespace: argocd
spec:
  project: default
  source:
    repoURL: {{ .GitRepoURL }}
    targetRevision: HEAD
    path: apps/{{ .ServiceName }}
    helm:
      parameters:
      - name: image.tag
        value: {{ .ImageTag }}
      - name: image.repository
        value: {{ .ImageRepository }}
  destination:
    server: https://kubernetes.default.svc
    namespace: {{ .Namespace }}
  syncPolicy:
    automated:
      prune: true
      selfHeal: true
`;

export const everythingTemplate = `{{- /* everything at once */ -}}
{{- $name := printf "%s-%s" .ServiceName (.ImageTag | trimPrefix "v" | replace "." "-") | trunc 63 | trimSuffix "-" -}}
{{- define "labels" }}
app.kubernetes.io/name: {{ .ServiceName | quote }}
app.kubernetes.io/version: {{ .ImageTag | quote }}
{{- range $key, $value := .Variables }}
example.com/{{ $key | kebabcase }}: {{ $value | quote }}
{{- end }}
{{- end }}
apiVersion: v1
kind: List
items:
{{- range $i, $kind := list "Deployment" "Service" "ConfigMap" }}
- kind: {{ $kind }}
  metadata:
    name: {{ printf "%s-%d" $name $i }}
    labels: {{- include "labels" $ | trim | nindent 6 }}
  {{- if eq $kind "ConfigMap" }}
  data:
    values.yaml: |
      {{- toYaml $.Variables | nindent 6 }}
    digest: {{ $.ImageDigest | trimPrefix "sha256:" | trunc 12 }}
  {{- else if and (ne $kind "Service") (semverCompare ">=1.0.0" $.ImageTag) }}
  spec: { replicas: {{ ternary 3 1 (eq $.environment "prod") }} }
  {{- end }}
{{- else }}
[]
{{- end }}
`;

export const seedCases: readonly TemplateCase[] = over(
  [
    deploymentTemplate,
    applicationTemplate,
    everythingTemplate,
    '{{ .TagPrefix }}-{{ .Missing }}',
    'apps/{{ .Variables.environment }}/{{ .ServiceName }}.yaml',
  ],
  { data: seedData },
);
