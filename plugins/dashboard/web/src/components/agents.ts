// Agents people have, and what to write into their configuration.
interface Target {
  readonly origin: string
  readonly db: string
  /** Who is signed in; undefined on a server without users, which wants no password. */
  readonly user: string | undefined
}

interface Agent {
  readonly name: string
  readonly title: string
  /** Where it goes. */
  readonly file: string
  text(target: Target): string
}

/** A part of a configuration that only a server with users needs. */
function login({ user }: Target, write: (user: string) => string): string {
  return user === undefined ? '' : write(user)
}

const curlLogin = (target: Target) => login(target, user => `-u '${user}:PASSWORD' `)
const basicAuth = (target: Target, indent: string) =>
  login(target, user => `\n${indent}basic_auth:\n${indent}  username: ${user}\n${indent}  password: PASSWORD`)

export const agents: readonly Agent[] = [
  {
    name: 'curl-lines',
    title: 'curl: line protocol',
    file: 'In a shell',
    text: target =>
      `curl ${curlLogin(target)}'${target.origin}/v1/lineproto/write?db=${target.db}' --data-binary 'weather,city=Oslo temp=-3.5'`
  },
  {
    name: 'curl-logs',
    title: 'curl: logs as NDJSON',
    file: 'In a shell',
    text: target =>
      `curl ${curlLogin(target)}'${target.origin}/v1/ingest?db=${target.db}&table=logs&pipeline_name=svc_identity' \\
  -H 'content-type: application/x-ndjson' --data-binary '{"level":"info","message":"hello"}'`
  },
  {
    name: 'prometheus',
    title: 'Prometheus',
    file: 'prometheus.yml',
    text: target => `remote_write:
  - url: ${target.origin}/v1/metricsys/write?db=${target.db}
    # protobuf_message: io.prometheus.write.v2.Request${basicAuth(target, '    ')}
remote_read:
  - url: ${target.origin}/v1/metricsys/read?db=${target.db}${basicAuth(target, '    ')}`
  },
  {
    name: 'opentelemetry',
    title: 'OpenTelemetry Collector',
    file: 'config.yaml of the collector',
    text: target => `exporters:
  otlphttp/weir:
    endpoint: ${target.origin}/v1/telemetry
    headers:
      x-svc-db-name: ${target.db}${login(target, user => `\n      # ${user}:PASSWORD in Base64\n      authorization: Basic ...`)}
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
    text: target => `[[outputs.influxdb_v2]]
  urls = ["${target.origin}/v1/lineproto"]
  token = "${login(target, user => `${user}:PASSWORD`)}"
  organization = ""
  bucket = "${target.db}"`
  },
  {
    name: 'vector',
    title: 'Vector',
    file: 'vector.yaml',
    text: target => `sinks:
  weir:
    type: http
    inputs: [my_logs]
    uri: ${target.origin}/v1/ingest?db=${target.db}&table=logs&pipeline_name=svc_identity
    framing: { method: newline_delimited }
    encoding: { codec: json }
    request:
      headers: { content-type: application/x-ndjson }${login(target, user => `\n    auth: { strategy: basic, user: ${user}, password: PASSWORD }`)}`
  },
  {
    name: 'fluent-bit',
    title: 'Fluent Bit',
    file: 'fluent-bit.conf',
    text: target => `[OUTPUT]
    Name        http
    Match       *
    Host        ${new URL(target.origin).hostname}
    Port        ${new URL(target.origin).port || '80'}
    URI         /v1/ingest?db=${target.db}&table=logs&pipeline_name=svc_identity
    Format      json_lines
    Header      content-type application/x-ndjson${login(target, user => `\n    HTTP_User   ${user}\n    HTTP_Passwd PASSWORD`)}`
  },
  {
    name: 'alloy',
    title: 'Grafana Alloy',
    file: 'config.alloy',
    text: target => `loki.write "weir" {
  endpoint {
    url     = "${target.origin}/v1/logpush/api/v1/push?db=${target.db}"${login(target, user => `\n    basic_auth {\n      username = "${user}"\n      password = "PASSWORD"\n    }`)}
  }
}`
  },
  {
    name: 'promtail',
    title: 'Promtail',
    file: 'promtail.yaml',
    text: target => `clients:
  - url: ${target.origin}/v1/logpush/api/v1/push?db=${target.db}${basicAuth(target, '    ')}`
  },
  {
    name: 'splunk',
    title: 'Splunk event collector senders',
    file: 'The address and token of the sender',
    text: target =>
      `curl '${target.origin}/v1/eventcollector/services/collector/event?db=${target.db}' -H 'Authorization: Splunk ${login(target, user => `${user}:PASSWORD`) || 'any'}' \\
  --data-binary '{"sourcetype":"test","event":"hello"}'`
  },
  {
    name: 'collectd',
    title: 'collectd',
    file: 'collectd.conf',
    text: target => `LoadPlugin write_http
<Plugin write_http>
  <Node "weir">
    URL "${target.origin}/v1/ingest?db=${target.db}&table=collectd&pipeline_name=svc_identity"
    Format "JSON"${login(target, user => `\n    User "${user}"\n    Password "PASSWORD"`)}
  </Node>
</Plugin>`
  },
  {
    name: 'put',
    title: 'JSON put senders',
    file: 'In a shell',
    text: target =>
      `curl ${curlLogin(target)}'${target.origin}/v1/tsdbput/api/put?db=${target.db}' \\
  --data-binary '{"metric":"sys.load","timestamp":1700000000,"value":0.7,"tags":{"host":"a"}}'`
  }
]
