{{/* The image with its tag. */}}
{{- define "users-api.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "users-api.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "users-api.envFrom" -}}
- configMapRef:
    name: {{ .Release.Name }}-env
- secretRef:
    name: {{ .Release.Name }}-db
{{- end -}}
