// Agents people have, and what to write into their configuration.
export interface Agent {
  readonly name: string
  readonly title: string
  /** Where it goes. */
  readonly file: string
  text(origin: string, db: string): string
}

export const agents: readonly Agent[] = [
  {
    name: 'curl-lines',
    title: 'curl: line protocol',
    file: 'In a shell',
    text: (origin, db) =>
      `curl -u user:password '${origin}/v1/lineproto/write?db=${db}' --data-binary 'weather,city=Oslo temp=-3.5'`
  },
  {
    name: 'curl-logs',
    title: 'curl: logs as NDJSON',
    file: 'In a shell',
    text: (origin, db) =>
      `curl -u user:password '${origin}/v1/ingest?db=${db}&table=logs&pipeline_name=svc_identity' \\
  -H 'content-type: application/x-ndjson' --data-binary '{"level":"info","message":"hello"}'`
  },
  {
    name: 'prometheus',
    title: 'Prometheus',
    file: 'prometheus.yml',
    text: (origin, db) => `remote_write:
  - url: ${origin}/v1/metricsys/write?db=${db}
    # protobuf_message: io.prometheus.write.v2.Request
    basic_auth:
      username: user
      password: password
remote_read:
  - url: ${origin}/v1/metricsys/read?db=${db}
    basic_auth:
      username: user
      password: password`
  },
  {
    name: 'opentelemetry',
    title: 'OpenTelemetry Collector',
    file: 'config.yaml of the collector',
    text: (origin, db) => `exporters:
  otlphttp/weir:
    endpoint: ${origin}/v1/telemetry
    headers:
      x-svc-db-name: ${db}
      authorization: Basic ${btoa('user:password')}
service:
  pipelines:
    metrics: { receivers: [otlp], exporters: [otlphttp/weir] }
    traces: { receivers: [otlp], exporters: [otlphttp/weir] }
    logs: { receivers: [otlp], exporters: [otlphttp/weir] }`
  },
  {
    name: 'telegraf',
    title: 'Telegraf',
    file: 'telegraf.conf',
    text: (origin, db) => `[[outputs.influxdb_v2]]
  urls = ["${origin}/v1/lineproto"]
  token = "user:password"
  organization = ""
  bucket = "${db}"`
  },
  {
    name: 'vector',
    title: 'Vector',
    file: 'vector.yaml',
    text: (origin, db) => `sinks:
  weir:
    type: http
    inputs: [my_logs]
    uri: ${origin}/v1/ingest?db=${db}&table=logs&pipeline_name=svc_identity
    framing: { method: newline_delimited }
    encoding: { codec: json }
    request:
      headers: { content-type: application/x-ndjson }
    auth: { strategy: basic, user: user, password: password }`
  },
  {
    name: 'fluent-bit',
    title: 'Fluent Bit',
    file: 'fluent-bit.conf',
    text: (origin, db) => `[OUTPUT]
    Name        http
    Match       *
    Host        ${new URL(origin).hostname}
    Port        ${new URL(origin).port || '80'}
    URI         /v1/ingest?db=${db}&table=logs&pipeline_name=svc_identity
    Format      json_lines
    Header      content-type application/x-ndjson
    HTTP_User   user
    HTTP_Passwd password`
  },
  {
    name: 'alloy',
    title: 'Grafana Alloy',
    file: 'config.alloy',
    text: (origin, db) => `loki.write "weir" {
  endpoint {
    url     = "${origin}/v1/logpush/api/v1/push?db=${db}"
    basic_auth {
      username = "user"
      password = "password"
    }
  }
}`
  },
  {
    name: 'promtail',
    title: 'Promtail',
    file: 'promtail.yaml',
    text: (origin, db) => `clients:
  - url: ${origin}/v1/logpush/api/v1/push?db=${db}
    basic_auth:
      username: user
      password: password`
  },
  {
    name: 'splunk',
    title: 'Splunk event collector senders',
    file: 'The address and token of the sender',
    text: (origin, db) =>
      `curl '${origin}/v1/eventcollector/services/collector/event?db=${db}' -H 'Authorization: Splunk user:password' \\
  --data-binary '{"sourcetype":"test","event":"hello"}'`
  },
  {
    name: 'collectd',
    title: 'collectd',
    file: 'collectd.conf',
    text: (origin, db) => `LoadPlugin write_http
<Plugin write_http>
  <Node "weir">
    URL "${origin}/v1/ingest?db=${db}&table=collectd&pipeline_name=svc_identity"
    Format "JSON"
    User "user"
    Password "password"
  </Node>
</Plugin>`
  },
  {
    name: 'put',
    title: 'JSON put senders',
    file: 'In a shell',
    text: (origin, db) =>
      `curl -u user:password '${origin}/v1/tsdbput/api/put?db=${db}' \\
  --data-binary '{"metric":"sys.load","timestamp":1700000000,"value":0.7,"tags":{"host":"a"}}'`
  }
]
