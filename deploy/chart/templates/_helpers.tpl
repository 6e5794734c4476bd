{{- define "restow.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
{{- end }}

{{- define "restow.fullname" -}}
{{- $name := include "restow.name" . }}
{{- if .Values.fullnameOverride }}
{{- .Values.fullnameOverride | trunc 52 | trimSuffix "-" }}
{{- else if contains $name .Release.Name }}
{{- .Release.Name | trunc 52 | trimSuffix "-" }}
{{- else }}
{{- printf "%s-%s" .Release.Name $name | trunc 52 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "restow.selector" -}}
app.kubernetes.io/name: {{ include "restow.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "restow.labels" -}}
{{ include "restow.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end }}

{{- define "restow.account" -}}
{{- if .Values.serviceAccount.create }}
{{- default (include "restow.fullname" .) .Values.serviceAccount.name }}
{{- else }}
{{- required "serviceAccount.name is needed where serviceAccount.create is false" .Values.serviceAccount.name }}
{{- end }}
{{- end }}

{{- define "restow.image" -}}
{{- with .Values.image }}
{{- if .digest }}
{{- printf "%s@%s" .repository .digest }}
{{- else }}
{{- printf "%s:%s" .repository (default $.Chart.AppVersion .tag) }}
{{- end }}
{{- end }}
{{- end }}

{{/* A setting as restow reads it: `on` and `off` are booleans by the time they are here, whole numbers must not become 1e+06. */}}
{{- define "restow.setting" -}}
{{- if kindIs "string" .value }}
{{- .value }}
{{- else if kindIs "bool" .value }}
{{- ternary "on" "off" .value }}
{{- else if and (eq .name "catalog") (kindIs "slice" .value) }}
{{- join "," .value }}
{{- else }}
{{- toJson .value }}
{{- end }}
{{- end }}

{{/* ConfigMaps of our own namespace that are catalogs: configmap:NAMESPACE/NAME/KEY. */}}
{{- define "restow.catalogs" -}}
{{- $names := list }}
{{- $catalog := default "" .Values.settings.catalog }}
{{- if kindIs "string" $catalog }}
{{- $catalog = splitList "," $catalog }}
{{- end }}
{{- $prefix := printf "configmap:%s/" .Release.Namespace }}
{{- range $catalog }}
{{- if hasPrefix $prefix . }}
{{- $names = append $names (trimPrefix $prefix . | splitList "/" | first) }}
{{- end }}
{{- end }}
{{- $names | uniq | toJson }}
{{- end }}
