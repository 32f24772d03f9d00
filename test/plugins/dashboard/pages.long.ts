// Every page in both themes and at three widths: what can be checked of accessibility, and nothing wider than the window.
import t from 'tap'
import { needing } from '../../programs.ts'
import { shop } from '../jaeger/spans.ts'
import { encodeTraces } from '../telemetry/traces/encode.ts'
import { look, openSite, runSql, type Site } from './browser.ts'

async function fill(url: string): Promise<void> {
  const now = Date.now()
  await runSql(url, 'CREATE TABLE load (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, value DOUBLE)')
  await runSql(url, 'CREATE TABLE lines (ts TIMESTAMP(3) TIME INDEX, level STRING, message STRING)')
  for (let i = 0; i < 20; i++) {
    await runSql(url, `INSERT INTO load VALUES (${now - i * 60_000}, 'a', ${i}), (${now - i * 60_000}, 'b', 7)`)
    await runSql(url, `INSERT INTO lines VALUES (${now - i * 60_000}, 'error', 'payment ${i} failed')`)
  }
  const response = await fetch(`${url}/v1/telemetry/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: Buffer.from(encodeTraces(shop))
  })
  if (!response.ok) throw new Error(await response.text())
  const yaml = 'transform:\n  - field: a\n    type: string\n'
  const headers = { 'content-type': 'application/x-yaml' }
  await fetch(`${url}/v1/pipelines/plain`, { method: 'POST', headers, body: yaml })
}

const then = 'from=2023-11-14T22:00:00Z&to=2023-11-14T23:00:00Z'
/** What is there once a page is. */
const pages = {
  home: '.tiles',
  [`query?q=${encodeURIComponent('SELECT * FROM load ORDER BY ts')}&view=chart`]: '.legend li',
  'metrics?metric=load&panels=load': '.legend li',
  'logs?table=lines': '.line',
  [`traces?service=frontend&${then}`]: '.trace-list li',
  boards: '.board-list li',
  alerts: 'h1',
  'pipelines?name=plain': '.cm-content',
  ingest: 'h1',
  tables: 'td',
  status: '.legend li',
  'x/profiles': 'form'
}

const widths = [1440, 1024, 390]

for (const dark of [false, true]) {
  t.test(`all pages, ${dark ? 'dark' : 'light'}`, needing('chromium'), async t => {
    const site: Site = await openSite(t, { fill })
    for (const [path, shown] of Object.entries(pages)) {
      await t.test(path.replace(/\?.*/, ''), async t => {
        for (const width of widths) {
          const page = await site.open(path, { dark, viewport: { width, height: 900 } })
          await page.locator(`main ${shown}`).first().waitFor()
          t.equal(await page.getByRole('alert').count(), 0)
          const isLoaded = path !== 'ingest'
          t.equal(
            await page.getByRole('button', { name: 'Refresh' }).count(),
            isLoaded ? 1 : 0,
            'it can be loaded anew'
          )
          await look(t, page, `all-${path.replace(/\?.*|\//g, '')}-${width}-${dark ? 'dark' : 'light'}`)
        }
      })
    }
  })
}
