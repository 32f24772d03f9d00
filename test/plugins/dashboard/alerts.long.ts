import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { eventually } from '../../eventually.ts'
import { temporaryFolder } from '../../helpers.ts'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, runSql, shows } from './browser.ts'

const rules = `groups:
- name: shop
  interval: 500ms
  rules:
  - alert: SlowCheckout
    expr: load > 2
    labels: {severity: page}
    annotations: {summary: '{{ $labels.host }} has a load of {{ humanize $value }}', runbook: 'https://example.com/a/rather/long/address/of/a/page'}
  - {alert: FullDisk, expr: load > 1, for: 2h, keep_firing_for: 5m}
  - {alert: Quiet, expr: load > 1000}
  - {record: 'host:load:max', expr: max(load)}
- name: logs
  interval: 500ms
  rules:
  - {alert: Broken, sql: SELECT nothing FROM nowhere}
`

async function fill(url: string): Promise<void> {
  await runSql(url, 'CREATE TABLE load (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, value DOUBLE)')
  await runSql(url, `INSERT INTO load VALUES (${Date.now()}, 'web-1', 3), (${Date.now()}, 'web-2', 1.5)`)
  await eventually(async () => {
    const { alerts } = (await (await fetch(`${url}/v1/alerting/alerts`)).json()) as { alerts: unknown[] }
    return alerts.length === 3
  })
}

t.test('the page of alerts', needing('chromium'), async t => {
  const file = join(temporaryFolder(t), 'rules.yml')
  writeFileSync(file, rules)
  const site = await openSite(t, { toml: `[plugins.alerting]\nrule_files = ["${file}"]\n`, fill })

  await t.test('shows what fires, since when, and what was', async t => {
    const page = await site.open('alerts?from=now-5m', { viewport: { width: 1440, height: 900 } })
    await page.getByText('web-1 has a load of 3').waitFor()
    const tile = (title: string) => page.locator('.tiles .card', { hasText: title }).locator('strong').textContent()
    await shows(t).equal(() => tile('Firing'), '1')
    await shows(t).equal(() => tile('Pending'), '2')
    await shows(t).equal(() => tile('Failing rules'), '1')
    const lanes = page.getByLabel('History').locator('.lane')
    await lanes.nth(2).waitFor()
    await shows(t).match(() => lanes.first().getAttribute('aria-label'), /^(firing|pending) from 20\d\d-/)
    const parts = await page.locator('.part.firing').first().boundingBox()
    const lane = await lanes.first().boundingBox()
    t.ok(parts!.x >= lane!.x && parts!.x + parts!.width <= lane!.x + lane!.width + 1, 'within its lane')
    await look(t, page, 'alerts')
    await page.getByText('FullDisk', { exact: true }).last().click()
    await page.getByText('after 2h, for 5m longer').waitFor()
    await page
      .getByText(/Table not found.*nowhere/i)
      .first()
      .waitFor()
  })

  await t.test('finds rules by state and word; the address holds both', async t => {
    const page = await site.open('alerts?state=pending')
    await page.getByLabel('Group shop').locator('.rule').first().waitFor()
    await shows(t).equal(() => page.locator('.rule').count(), 1)
    await page.getByRole('button', { name: 'All', exact: true }).click()
    await page.getByLabel('Search rules').fill('host:load')
    await page.waitForFunction(() => document.querySelectorAll('.rule').length === 1)
    await shows(t).match(() => page.url(), 'q=host%3Aload')
    await page.getByText('recorded').waitFor()
    await page.locator('.rule summary').click()
    await page.getByRole('link', { name: 'Query' }).last().click()
    await page.getByLabel('PromQL expression').waitFor()
  })

  await t.test('fits on a phone and into the dark', async t => {
    const phone = await site.open('alerts?from=now-5m', { dark: true, viewport: narrow })
    await phone.getByText('web-1 has a load of 3').waitFor()
    await phone.locator('.lane').first().waitFor()
    await look(t, phone, 'alerts-narrow-dark')
    const middle = await site.open('alerts?from=now-5m', { dark: true, viewport: { width: 1024, height: 768 } })
    await middle.locator('.lane').first().waitFor()
    await look(t, middle, 'alerts-1024-dark')
  })

  await t.test('without rules it says how to begin', async t => {
    const page = await site.open('alerts?db=information_schema')
    await page.getByText('No rules yet').waitFor()
    await page.getByText('rule_files = ["rules/*.yml"]').waitFor()
    await look(t, page, 'alerts-empty')
  })
})
