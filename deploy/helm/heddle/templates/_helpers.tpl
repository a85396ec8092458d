{{- define "heddle.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "heddle.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "heddle.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "heddle.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* What selects the pods of an app. Takes a dict with root and app. */}}
{{- define "heddle.selector" -}}
app.kubernetes.io/name: {{ include "heddle.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .app }}
{{- end -}}

{{- define "heddle.labels" -}}
{{ include "heddle.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end -}}

{{/* Takes a dict with root and image. */}}
{{- define "heddle.image" -}}
{{- if .image.digest -}}
{{ .image.repository }}@{{ .image.digest }}
{{- else -}}
{{ .image.repository }}:{{ .image.tag | default .root.Chart.AppVersion }}
{{- end -}}
{{- end -}}

{{/* Settings by name, sorted, as entries of `env`. */}}
{{- define "heddle.settings" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end -}}
{{- end -}}

{{- define "heddle.storeEnv" -}}
- name: REDIS_URL
  valueFrom:
    secretKeyRef:
      name: {{ .Values.redis.urlSecret }}
      key: {{ .Values.redis.urlKey }}
- name: CLICKHOUSE_URL
  value: {{ required "Set clickhouse.url to the address of ClickHouse, for example http://clickhouse:8123." .Values.clickhouse.url | quote }}
- name: CLICKHOUSE_USER
  value: {{ .Values.clickhouse.user | quote }}
- name: CLICKHOUSE_DATABASE
  value: {{ .Values.clickhouse.database | quote }}
- name: CLICKHOUSE_PASSWORD
  valueFrom:
    secretKeyRef:
      name: {{ .Values.clickhouse.passwordSecret }}
      key: {{ .Values.clickhouse.passwordKey }}
{{- with .Values.clickhouse.cluster }}
- name: CLICKHOUSE_CLUSTER
  value: {{ . | quote }}
{{- end }}
{{- include "heddle.settings" .Values.settings }}
{{- with .Values.extraEnv }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "heddle.keyEnv" -}}
- name: HEDDLE_API_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.apiKey.secret }}
      key: {{ .Values.apiKey.key }}
- name: HEDDLE_USER
  value: {{ .Values.apiKey.user | quote }}
{{- end -}}

{{- define "heddle.podSecurity" -}}
runAsNonRoot: true
runAsUser: 1000
runAsGroup: 1000
fsGroup: 1000
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "heddle.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{- define "heddle.probes" -}}
startupProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: { path: /healthz, port: http }
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: { path: /readyz, port: http }
  periodSeconds: 5
  timeoutSeconds: 4
{{- end -}}

{{/* Takes a dict with root and app. */}}
{{- define "heddle.spread" -}}
topologySpreadConstraints:
  {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
  - maxSkew: 1
    topologyKey: {{ . }}
    whenUnsatisfiable: ScheduleAnyway
    labelSelector:
      matchLabels:
        {{- include "heddle.selector" $ | nindent 8 }}
  {{- end }}
{{- end -}}

{{/* The Deployment of an app. Takes a dict with root, app, port, values, replicas and hasKey. */}}
{{- define "heddle.deployment" -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "heddle.fullname" .root }}-{{ .app }}
  labels:
    {{- include "heddle.labels" . | nindent 4 }}
spec:
  {{- if not .isScaled }}
  replicas: {{ .values.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "heddle.selector" . | nindent 6 }}
  strategy:
    rollingUpdate: { maxUnavailable: 0, maxSurge: 1 }
  template:
    metadata:
      labels:
        {{- include "heddle.labels" . | nindent 8 }}
    spec:
      automountServiceAccountToken: false
      # Time to finish the requests or the flush in progress.
      terminationGracePeriodSeconds: 45
      {{- with .root.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- include "heddle.podSecurity" .root | nindent 8 }}
      {{- include "heddle.spread" . | nindent 6 }}
      {{- with .values.nodeSelector }}
      nodeSelector:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .app }}
          image: {{ include "heddle.image" (dict "root" .root "image" .root.Values.image) }}
          imagePullPolicy: {{ .root.Values.image.pullPolicy }}
          command: [node, dist/apps/{{ .app }}/src/main.js]
          env:
            - name: HOST
              value: 0.0.0.0
            - name: PORT
              value: {{ .port | quote }}
            {{- include "heddle.storeEnv" .root | nindent 12 }}
            {{- if .hasKey }}
            {{- include "heddle.keyEnv" .root | nindent 12 }}
            {{- with .root.Values.gateway.trustedProxies }}
            - name: TRUSTED_PROXIES
              value: {{ join "," . | quote }}
            {{- end }}
            {{- end }}
            {{- with .values.settings }}
            {{- include "heddle.settings" . | nindent 12 }}
            {{- end }}
          ports:
            - name: http
              containerPort: {{ .port }}
          {{- include "heddle.probes" .root | nindent 10 }}
          lifecycle:
            # Endpoints have the pod for some seconds more.
            preStop:
              exec: { command: [sleep, '5'] }
          resources:
            {{- toYaml .values.resources | nindent 12 }}
          securityContext:
            {{- include "heddle.containerSecurity" .root | nindent 12 }}
          volumeMounts:
            - name: tmp
              mountPath: /tmp
      volumes:
        - name: tmp
          emptyDir: {}
{{- end -}}
