{{- define "app.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "app.tag" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* What a tag looks like in the name of an object. One that is cut has a digest, or two releases could have one name. */}}
{{- define "app.slug" -}}
{{- $slug := . | lower | replace "." "-" | replace "_" "-" | replace "+" "-" -}}
{{- if gt (len $slug) 20 -}}
{{- $slug = printf "%s-%s" ($slug | trunc 11 | trimSuffix "-") (sha256sum . | trunc 8) -}}
{{- end -}}
{{- $slug -}}
{{- end -}}

{{/* The text of a variable. Helm takes every number for a float, whose text would be 1e+06, and YAML takes `on` for true. */}}
{{- define "app.variable" -}}
{{- if kindIs "bool" . -}}
{{- ternary "on" "off" . -}}
{{- else if kindIs "string" . -}}
{{- . -}}
{{- else -}}
{{- toJson . -}}
{{- end -}}
{{- end -}}

{{- define "app.image" -}}
{{- $repository := required "image.repository: name the registry and repository that you pushed the image to" .Values.image.repository -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" $repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" $repository (include "app.tag" .) -}}
{{- end -}}
{{- end -}}

{{- define "app.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "app.labels" -}}
{{ include "app.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ include "app.tag" . | quote }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{/* Labels of pods of one release's workers. Nothing here may change with the chart or with the release that is installed beside them:
  a pod whose labels change is replaced, and what it calls for longer than its grace becomes unknown. */}}
{{- define "app.workerPodLabels" -}}
{{ include "app.selector" .root }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
app.kubernetes.io/version: {{ .tag | quote }}
{{- end -}}

{{- define "app.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default (include "app.name" .) -}}
{{- else -}}
{{- .Values.serviceAccount.name | default "default" -}}
{{- end -}}
{{- end -}}

{{/* The restricted Pod Security Standard. 1000 is the image's user `node`. */}}
{{- define "app.podSecurity" -}}
serviceAccountName: {{ include "app.serviceAccount" . }}
automountServiceAccountToken: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- end -}}

{{- define "app.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end -}}

{{- define "app.temporalEnvironment" -}}
- name: TEMPORAL_ADDRESS
  value: {{ required "temporal.address: host:port of Temporal's frontend" .Values.temporal.address | quote }}
- name: TEMPORAL_NAMESPACE
  value: {{ .Values.temporal.namespace | quote }}
{{- /* A hook runs before the ConfigMap is there, and a Job has none. */}}
{{- if hasKey .Values.config "TEMPORAL_TLS" }}
- name: TEMPORAL_TLS
  value: {{ include "app.variable" .Values.config.TEMPORAL_TLS | quote }}
{{- end }}
{{- with .Values.temporal.apiKey }}
{{- if .existingSecret }}
- name: TEMPORAL_API_KEY
  valueFrom: { secretKeyRef: { name: {{ .existingSecret }}, key: {{ .key }} } }
{{- end }}
{{- end }}
{{- with .Values.temporal.tls }}
{{- if .existingSecret }}
- name: TEMPORAL_TLS_CA
  value: /temporal-tls/ca.crt
{{- if .clientCertificate }}
- name: TEMPORAL_TLS_CERT
  value: /temporal-tls/tls.crt
- name: TEMPORAL_TLS_KEY
  value: /temporal-tls/tls.key
{{- end }}
{{- end }}
{{- if .serverName }}
- name: TEMPORAL_TLS_SERVER_NAME
  value: {{ .serverName | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "app.databaseEnvironment" -}}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "database.existingSecret: the Secret with the application's DATABASE_URL" .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
{{- end -}}

{{/* What API and worker are told alike. */}}
{{- define "app.processEnvironment" -}}
{{ include "app.databaseEnvironment" . }}
{{ include "app.temporalEnvironment" . }}
- name: MASTER_KEYS
  valueFrom:
    secretKeyRef:
      name: {{ required "masterKeys.existingSecret: the Secret with MASTER_KEYS" .Values.masterKeys.existingSecret }}
      key: {{ .Values.masterKeys.key }}
- name: SHUTDOWN_GRACE_SECONDS
  value: {{ .Values.shutdownGraceSeconds | quote }}
{{- if .Values.monitoring.enabled }}
- name: METRICS_ADDRESS
  value: 0.0.0.0:9464
{{- end }}
{{- if .Values.files.existingClaim }}
- name: FILES_DIR
  value: /files
{{- else if ne (default "" .Values.config.FILES) "s3" }}
{{- fail "files: name an existingClaim that all pods can write, or set config.FILES to s3" }}
{{- end }}
{{- end -}}

{{- define "app.volumeMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.temporal.tls.existingSecret }}
- { name: temporal-tls, mountPath: /temporal-tls, readOnly: true }
{{- end }}
{{- end -}}

{{- define "app.volumes" -}}
- { name: tmp, emptyDir: { sizeLimit: 1Gi } }
{{- with .Values.temporal.tls.existingSecret }}
- { name: temporal-tls, secret: { secretName: {{ . }} } }
{{- end }}
{{- end -}}

{{- define "app.environmentFrom" -}}
- configMapRef: { name: {{ include "app.name" . }} }
{{- range .Values.extraSecrets }}
- secretRef: { name: {{ . }} }
{{- end }}
{{- end -}}

{{/* Pods of one kind on different nodes, where there are some. */}}
{{- define "app.spread" -}}
topologySpreadConstraints:
  - maxSkew: 1
    topologyKey: kubernetes.io/hostname
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- .labels | nindent 8 }}
{{- end -}}
