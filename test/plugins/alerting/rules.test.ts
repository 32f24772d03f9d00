// Rule files: what is accepted, what is refused, and the messages.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { type ParseOptions, parseRuleFile } from '../../../plugins/alerting/rule/parse.ts'
import { startServer, temporaryFolder } from '../../helpers.ts'
import { findProgram, needing } from '../../programs.ts'

const options: ParseOptions = {
  interval: 60_000,
  db: 'public',
  sql: true,
  records: true,
  checkExpression(text) {
    if (text.includes('((')) throw new Error('unclosed left parenthesis')
  }
}
const parse = (text: string) => parseRuleFile('r.yml', text, options)

const group = (rules: string) => `groups:\n- name: g\n  rules:\n${rules}`

const taken = [
  'groups: []',
  `groups:
- name: first
  interval: 1m30s
  limit: 10
  rules:
  - record: job:hits:rate5m
    expr: sum by (job) (rate(hits_total[5m]))
    labels: {from: recorded}
- name: second
  rules:
  - alert: Down
    expr: |
      up == 0
    for: 1h
    keep_firing_for: 5m
    labels: {severity: page, job: "{{ $labels.job }}"}
    annotations:
      summary: '{{ if gt $value 1.0 }}many{{ else }}{{ humanize $value }}{{ end }} of {{ .Labels.job | toUpper }}'
      more: '{{ range $name, $text := $labels }}{{ $name }}={{ $text }} {{ end }}{{- /* gone */ -}}  !'
`,
  group('  - &a\n    alert: A\n    expr: up\n  - *a')
]

/** Rule files and their errors. `ours` marks those that Prometheus accepts, or refuses for another reason. */
const refused: readonly { readonly text: string; readonly says: string; readonly ours?: true }[] = [
  {
    text: 'groups:\n- name: a\n  rules: []\n- name: a\n  rules: []',
    says: 'r.yml:4: group "a": is in this file already'
  },
  { text: 'groups:\n- rules: []', says: 'r.yml:2: group: it needs a name' },
  { text: 'group: []', says: 'r.yml:1: unknown key group, did you mean groups?' },
  {
    text: 'groups:\n- name: a\n  intervall: 1m',
    says: 'r.yml:3: group: unknown key intervall, did you mean interval?'
  },
  {
    text: 'groups:\n- name: a\n  interval: soon',
    says: 'r.yml:3: group "a", interval: expected a duration such as 5m or 1h30m, got soon'
  },
  { text: group('  - expr: up'), says: 'r.yml:4: group "g", rule 1: expected either record or alert with a name' },
  {
    text: group('  - {record: a, alert: b, expr: up}'),
    says: 'r.yml:4: group "g", rule 1: expected either record or alert with a name'
  },
  {
    text: group('  - alert: A'),
    says: 'r.yml:4: group "g", rule 1 (A): expected either expr, an expression of PromQL, or sql, a statement'
  },
  {
    text: group('  - {record: a, expr: up, for: 5m}'),
    says: 'r.yml:4: group "g", rule 1 (a): a recording rule has no for'
  },
  {
    text: group('  - alert: A\n    expr: sum((up)'),
    says: 'r.yml:5: group "g", rule 1 (A), expr: unclosed left parenthesis'
  },
  {
    text: group('  - {alert: A, expr: up, labels: {__name__: x}}'),
    says: 'r.yml:4: group "g", rule 1 (A), labels: "__name__" cannot be the name of a label'
  },
  {
    text: group('  - alert: A\n    expr: up\n    annotations:\n      a: "{{ $lables.x }}"'),
    says: 'r.yml:7: group "g", rule 1 (A), annotations a: undefined variable $lables, did you mean $labels?'
  },
  {
    text: group('  - {alert: A, expr: up, annotations: {a: "{{ humanise $value }}"}}'),
    says: 'r.yml:4: group "g", rule 1 (A), annotations a: unknown function humanise, did you mean humanize?'
  },
  {
    text: group('  - {alert: A, expr: up, annotations: {a: "{{ if $value }}x"}}'),
    says: 'r.yml:4: group "g", rule 1 (A), annotations a: {{ if $value }} has no {{ end }}'
  },
  {
    text: group('  - {alert: A, expr: up, annotations: {a: "{{ $value "}}'),
    says: 'r.yml:4: group "g", rule 1 (A), annotations a: unclosed action: {{ without }}'
  },
  {
    text: group('  - {alert: A, expr: up, annotations: {a: "{{ queries `up` | first | value }}"}}'),
    says: 'r.yml:4: group "g", rule 1 (A), annotations a: unknown function queries'
  },
  { text: 'groups:\n- name: a\n  name: b', says: 'r.yml:3: Map keys must be unique' }
]

t.test('files of rules are read', async t => {
  for (const text of taken) t.strictSame(parse(text).problems, [], text)
  const [first, second] = parse(taken[1]!).groups
  t.match(first, { name: 'first', interval: 90_000, limit: 10, db: 'public', rules: [{ kind: 'record' }] })
  t.match(second, { interval: 60_000, rules: [{ holdFor: 3_600_000, keepFiringFor: 300_000 }] })
})

t.test('all faults of a file of rules are told with their lines', async t => {
  for (const { text, says } of refused) t.strictSame(parse(text).problems, [says], text)
  const two = parse(group('  - {alert: A, exp: up}\n  - {alert: B, expr: sum((}'))
  t.equal(two.problems.length, 3, two.problems.join('\n'))
})

t.test('promtool takes and refuses the same files', needing('promtool'), async t => {
  const folder = temporaryFolder(t)
  const check = (text: string, i: number) => {
    const file = join(folder, `${i}.yml`)
    writeFileSync(file, text)
    try {
      execFileSync(findProgram('promtool')!, ['check', 'rules', file], { stdio: 'pipe' })
      return true
    } catch {
      return false
    }
  }
  for (const [i, text] of taken.entries()) t.ok(check(text, i), text)
  const theirs = refused.filter(({ ours }) => ours !== true)
  for (const [i, { text }] of theirs.entries()) t.notOk(check(text, 100 + i), text)
})

t.test('a server does not start with rules it cannot evaluate, and says why', async t => {
  const folder = temporaryFolder(t)
  const file = join(folder, 'rules.yml')
  const start = (text: string, toml = '') => {
    writeFileSync(file, text)
    return startServer(t, `[plugins.alerting]\nrule_files = ["${file}"]\n${toml}`)
  }
  const at = `plugin alerting cannot start: ${file}:5: group "g", rule 1 (A)`
  const alert = group('  - alert: A\n    expr: up')
  const sql = group('  - alert: A\n    sql: SELECT 1 AS value')
  const cases: readonly (readonly [text: string, toml: string, message: string])[] = [
    [group('  - alert: A\n    expr: sum(up'), '', `${at}, expr: 1:7: parse error: unclosed left parenthesis`],
    [
      alert,
      '[plugins.promql]\nenabled = false',
      `${at}: a rule with expr needs the plugin promql, which is off ([plugins.promql] enabled = false)`
    ],
    [
      sql,
      '[plugins.sql]\nenabled = false',
      `${at}: a rule with sql needs the plugin sql, which is off ([plugins.sql] enabled = false)`
    ],
    [
      group('  -\n    {record: A, expr: up}'),
      '[plugins.metricsys]\nenabled = false',
      `${at}: a recording rule needs the plugin metricsys, which is off ([plugins.metricsys] enabled = false)`
    ],
    [
      group('  - {alert: A, expr: up}\n  - {alert: B, expr: up}'),
      'max_rules = 1',
      'plugin alerting cannot start: there are 2 rules, at most 1 (plugins.alerting.max_rules)'
    ]
  ]
  for (const [text, toml, message] of cases) await t.rejects(start(text, toml), { message }, message)
  const missing = join(folder, 'no.yml')
  await t.rejects(startServer(t, `[plugins.alerting]\nrule_files = ["${missing}"]`), {
    message: `plugin alerting cannot start: ${missing}: there is no such file`
  })
  const both = '[plugins.promql]\nenabled = false\n[plugins.metricsys]\nenabled = false'
  const { main } = await start(sql, both)
  t.match((await main.inject('/v1/alerting/rules')).json(), { groups: [{ name: 'g' }] }, 'SQL needs neither')
})
