// The same rules over the same samples in this server and in promtool's simulation give the same alerts and series at all times.

import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Type } from 'typebox'
import { type Core, definePlugin, internalContext } from '../../../core/index.ts'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { createCounters } from '../../../plugins/alerting/counters.ts'
import { createAsk } from '../../../plugins/alerting/evaluate/ask.ts'
import { evaluateGroup } from '../../../plugins/alerting/evaluate/evaluate.ts'
import { groupState } from '../../../plugins/alerting/evaluate/state.ts'
import { parseRuleFile } from '../../../plugins/alerting/rule/parse.ts'
import type { MetricsysService, PromqlService, SqlQueryService } from '../../../plugins/services.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { findProgram, needing } from '../../programs.ts'
import { writeV1 } from '../metricsys/messages.ts'

const interval = 15_000
/** By series: a value for each interval, undefined where there is none. */
const data: Readonly<Record<string, readonly (number | undefined)[]>> = {
  a: [0, 5, 5, 5, 5, 0, 0, 0, 5, 5, 0, 0, 0, 0, 0, 0],
  b: [9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 1234567, 0.00006103515625, 987654321.5, 1234.5],
  c: [0, 5, 0, 5, 0, 5, 5, 5, 5, 0, 5, 0, 5, 5, 5, 5],
  d: [undefined, undefined, 7, 7, 7, undefined, undefined, 7, 7, 7, 7, 7, 7, 7, 7, 7]
}
const length = 16

const rules = `groups:
- name: states
  rules:
  - record: x:double
    expr: x * 2
    labels: {kind: recorded, not: "{{ filled }}"}
  - record: x:sum
    expr: sum(x)
  - alert: Now
    expr: x > 3
    labels: {severity: page, who: "{{ $labels.i }}-{{ .Value }}", none: ""}
    annotations:
      plain: "{{ $value }} {{ humanize $value }} {{ humanize1024 $value }} {{ humanizePercentage $value }}"
      long: "{{ humanizeDuration $value }} {{ $value | humanizeTimestamp }} {{ printf \\"%.3f|%8.2e|%g|%v\\" $value $value $value $value }}"
      text: '{{ $labels.i | toUpper | printf "%-4s|%q" "x" }} {{ title "a big x" }} {{ len $labels.i }}{{ $labels.nothing }}'
      branch: '{{ if and (gt $value 5.0) (ne $labels.i "d") }}much{{ else if eq $labels.i "a" "c" }}some{{ else }}other{{ end }}'
      loop: '{{ range $k, $v := $labels }}[{{ $k }}:{{ $v }}]{{ end }}{{ with $labels.i }}({{ . }}){{ end }}'
      hosts: '{{ stripPort "h.example:80" }} {{ stripDomain "h.example:80" }} {{ reReplaceAll "(.)x" "$1y" "axbx" }} {{ match "^a" $labels.i }}'
      asked: '{{ range query "x" | sortByLabel "i" }}{{ .Labels.i }}={{ .Value }} {{ end }}{{ query "sum(x)" | first | value | humanize }} {{ query "x" | sortByLabel "i" | first | label "i" }} {{ with query "none" }}some{{ else }}none{{ end }} {{ printf "x{i=%q}" $labels.i | query | first | value }}'
      trim: "a  {{- \\"b\\" -}}  c {{ $x := 1.5 }}{{ $x }} {{ print \\"v\\" 2.0 }}"
  - alert: Held
    expr: x{i!="b"} > 3
    for: 30s
  - alert: Kept
    expr: x > 3
    for: 15s
    keep_firing_for: 40s
    annotations: {kept: "{{ $value }}"}
  - alert: Scalar
    expr: vector(1) or x
`

t.test('alerts and recorded series are those of Prometheus at every time', needing('promtool'), async t => {
  const found: {
    core?: Core
    services?: { promql: PromqlService; sql: SqlQueryService; metricsys: MetricsysService }
  } = {}
  const probe = definePlugin({
    name: 'probe',
    prefix: '/v1/probe',
    servers: ['main'],
    config: Type.Object({}),
    needs: ['promql', 'sql', 'metricsys'],
    setup(core, _, services) {
      Object.assign(found, { core, services })
    }
  })
  const { main } = await startServer(t, '', { plugins: [probe] })
  const core = found.core!
  const services = found.services!
  const series = Object.entries(data).map(([i, values]) => ({
    labels: { __name__: 'x', i },
    samples: values.flatMap((value, at) => (value === undefined ? [] : [[at * interval, value] as const]))
  }))
  const payload = Buffer.from(encodeSnappy(writeV1(series)))
  t.equal((await main.inject({ method: 'POST', url: '/v1/metricsys/write', payload })).statusCode, 204)

  const { groups, problems } = parseRuleFile('rules.yml', rules, {
    interval,
    db: 'public',
    sql: true,
    records: true,
    checkExpression: text => services.promql.parse(text)
  })
  t.strictSame(problems, [])
  const state = groupState(groups[0]!)
  const stop = new AbortController().signal
  const context = () => internalContext(core, 'alerting')
  const test = { alerts: [] as unknown[], series: [] as unknown[] }
  const names = groups[0]!.rules.filter(({ kind }) => kind === 'alert').map(({ name }) => name)
  const queries = ['ALERTS', 'ALERTS_FOR_STATE', 'x:double', 'x:sum']
  for (let at = 0; at < length; at++) {
    const time = at * interval
    await evaluateGroup(
      {
        ask: createAsk(services),
        counters: createCounters(core, () => ({
          groups: 1,
          rules: { alert: 0, record: 0 },
          alerts: { pending: 0, firing: 0 },
          waiting: 0
        })),
        promql: services.promql,
        metricsys: services.metricsys,
        log: core.log,
        options: {
          max_series: 100,
          evaluation_timeout: 30_000,
          for_outage_tolerance: 0,
          external_url: '',
          external_labels: []
        },
        context,
        write: (ctx, writes) => core.store.write(ctx, writes),
        isAlone: () => true,
        notify: async () => {}
      },
      state,
      time,
      stop
    )
    const broken = state.rules
      .filter(({ health }) => health !== 'ok')
      .map(({ rule, lastError }) => [rule.name, lastError])
    t.strictSame(broken, [])
    for (const alertname of names) {
      const known = state.rules.find(({ rule }) => rule.name === alertname)!.alerts
      const firing = [...known.values()].filter(({ state }) => state === 'firing')
      const exp_alerts = firing.map(({ labels, annotations }) => ({
        exp_labels: Object.fromEntries(labels.filter(([name]) => name !== 'alertname')),
        exp_annotations: annotations
      }))
      test.alerts.push({ eval_time: `${time / 1_000}s`, alertname, exp_alerts })
    }
    for (const expr of queries) {
      const result = await services.promql.query(context(), { text: expr, start: time, end: time })
      const exp_samples = [...result.samples()].map(({ labels: { __name__, ...labels }, value }) => ({
        labels: `${__name__}{${Object.entries(labels).map(([name, text]) => `${name}=${JSON.stringify(text)}`)}}`,
        value
      }))
      test.series.push({ expr, eval_time: `${time / 1_000}s`, exp_samples })
    }
  }
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'rules.yml'), rules)
  const input_series = Object.entries(data).map(([i, values]) => ({
    series: `x{i="${i}"}`,
    values: values.map(value => value ?? '_').join(' ')
  }))
  const file = join(folder, 'test.yml')
  const tests = [{ interval: '15s', input_series, alert_rule_test: test.alerts, promql_expr_test: test.series }]
  writeFileSync(file, JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: '15s', tests }))
  t.equal(test.alerts.length, names.length * length)
  try {
    execFileSync(findProgram('promtool')!, ['test', 'rules', file], { stdio: 'pipe', encoding: 'utf8' })
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    t.fail(`promtool does not agree:\n${(stdout + stderr).slice(0, 6_000)}`)
  }
})
