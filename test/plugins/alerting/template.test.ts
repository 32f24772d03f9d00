// Templates that promtool cannot compare: errors while filling them in, and their limits.
import t from 'tap'
import { parseTemplate } from '../../../plugins/alerting/template/template.ts'
import { processorTime } from '../../time.ts'

const data = {
  labels: { job: 'api', text: '0.5' },
  value: 0.25,
  externalURL: 'http://here',
  externalLabels: { region: 'eu' },
  answers: new Map()
}
const fill = (text: string) => parseTemplate(text)(data)

t.test('texts, numbers and addresses are filled in', async t => {
  const cases: Readonly<Record<string, string>> = {
    'as it is': 'as it is',
    '{{ $labels.job }}/{{ .Labels.job }}/{{ index $labels "job" }}': 'api/api/api',
    '{{ humanizePercentage .Value }} {{ $labels.text | humanize }}': '25% 500m',
    '{{ $externalURL }}{{ .ExternalURL }}': 'http://herehttp://here',
    '{{ $externalLabels.region }}{{ .ExternalLabels.region }}': 'eueu',
    '{{ parseDuration "1h30m" }} {{ urlQueryEscape "a b" }}': '5400 a%20b',
    '{{ if not (eq $labels.job "api") }}a{{ else if gt .Value 1.0 }}b{{ else }}c{{ end }}': 'c',
    '{{ with $labels.none }}a{{ else }}b{{ end }}{{ `{{ raw }}` }}': 'b{{ raw }}',
    '{{ printf "%5.1f|%-5s|%05d|%t|%%" 2.25 "a" 42 true }}': '  2.2|a    |00042|true|%'
  }
  for (const [text, filled] of Object.entries(cases)) t.equal(fill(text), filled, text)
})

t.test('a template with an unknown name is an error', async t => {
  t.throws(() => fill('{{ humanize $labels.job }}'), { message: 'expected a number, got "api"' })
  t.throws(() => fill('{{ $labels.job.more }}'), { message: '$labels.job.more: api has no field more' })
  t.throws(() => fill('{{ match "(" "a" }}'))
  t.throws(() => fill('{{ first $labels }}'), { message: /^expected samples of a query, got map/ })
  t.throws(() => fill('{{ query $value }}'), { message: 'expected a text, got 0.25' })
  const many = `{{ range $a, $b := $labels }}${'{{ range $c, $d := $labels }}'.repeat(14)}x${'{{ end }}'.repeat(14)}{{ end }}`
  t.throws(() => fill(many), { message: 'a template takes at most 10000 steps' })
})

t.test('what a template compiles and makes is bounded', async t => {
  const pattern = 'a{1000}'
  const compiled = (count: number) =>
    Array.from({ length: count }, (_, i) => `{{ match "${pattern}${i}" $labels.job }}`).join('')
  t.equal(fill(compiled(4)), 'false'.repeat(4))
  t.throws(() => fill(compiled(40)), {
    message: /the regular expressions of the template have more than 5000 characters/
  })
  const same = parseTemplate(`{{ match "${pattern}" $labels.job }}`.repeat(100))
  for (let i = 0; i < 10; i++) t.equal(same(data), 'false'.repeat(100), 'equal ones count once')
  const began = processorTime()
  const heavy = parseTemplate('{{ reReplaceAll $labels.text "" "a" }}')
  const text = `(${'a{1000}'.repeat(19)})`
  t.throws(() => heavy({ ...data, labels: { text } }), { message: /5000 characters/ })
  t.ok(processorTime() - began < 100)
  const growing = `{{ $a := "0123456789" }}${'{{ $a = print $a $a }}'.repeat(30)}{{ len $a }}`
  t.throws(() => fill(growing), { message: 'a template makes at most 1048576 characters' })
  const long = '{{ range $a, $b := $labels }}{{ $b }}{{ end }}'
  const labels = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`l${i}`, 'x'.repeat(60_000)]))
  t.throws(() => parseTemplate(long)({ ...data, labels }), { message: 'a template makes at most 1048576 characters' })
})
