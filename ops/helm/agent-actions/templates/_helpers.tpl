{{- define "app.name" -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{- define "app.tag" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end -}}

{{/* What a tag looks like in the name of an object. */}}
{{- define "app.slug" -}}
{{- . | lower | replace "." "-" | replace "_" "-" | replace "+" "-" | trunc 20 | trimSuffix "-" -}}
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
