import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { findProgram, needing } from '../programs.ts'

const root = join(import.meta.dirname, '../..')
const files = ['examples/grafana/weir.json', 'examples/prometheus/alerts.yml']
const rules = join(root, 'examples/prometheus/alerts.yml')

t.test('the dashboard and the alerts name only metrics there are', async t => {
  const page = readFileSync(join(root, 'docs/metrics.md'), 'utf8')
  const families = new Map([...page.matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name, type]) => [name!, type!]))
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8')
    const names = new Set([...text.matchAll(/\b(?:svc|process|nodejs)_\w+(?=[{[)\s=,])/g)].map(([name]) => name))
    t.ok(names.size > 10, `${file} names ${names.size} metrics`)
    for (const name of names) {
      const base = name.replace(/_(bucket|sum|count)$/, '')
      if (name === 'svc_private') continue
      t.ok(families.has(name) || families.get(base) === 'histogram', `${file}: ${name}`)
    }
  }
})

t.test('the dashboard is one Grafana can import: every panel has its place, its query and its source', async t => {
  const dashboard = JSON.parse(readFileSync(join(root, files[0]!), 'utf8'))
  const ids = new Set<number>()
  const taken = new Set<string>()
  for (const { id, type, title, gridPos, targets, datasource } of dashboard.panels) {
    ids.add(id)
    t.ok(gridPos.x + gridPos.w <= 24, `${title} fits`)
    taken.add(`${gridPos.x},${gridPos.y}`)
    if (type === 'row') continue
    t.ok(targets.length > 0 && datasource.uid.includes('datasource'), `${title} asks something`)
  }
  t.equal(ids.size, dashboard.panels.length)
  t.equal(taken.size, dashboard.panels.length, 'no two panels in one place')
})

t.test('the alerts are rules of Prometheus', needing('promtool'), async t => {
  t.match(execFileSync(findProgram('promtool')!, ['check', 'rules', rules], { encoding: 'utf8' }), /SUCCESS: \d+ rules/)
  const config = join(root, 'examples/prometheus/prometheus.yml')
  t.match(execFileSync(findProgram('promtool')!, ['check', 'config', config], { encoding: 'utf8' }), /SUCCESS/)
})
