import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { temporaryFolder } from '../../helpers.ts'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, runSql, shows } from './browser.ts'

async function fill(url: string): Promise<void> {
  await runSql(url, 'CREATE TABLE weather (ts TIMESTAMP(3) TIME INDEX, degrees DOUBLE)')
  await runSql(url, `INSERT INTO weather VALUES (${Date.now()}, 15)`)
  await runSql(url, 'SELECT sum(a.range * b.range) FROM range(3000) a, range(3000) b')
}

t.test('the page of the server itself', needing('chromium'), async t => {
  const site = await openSite(t, { toml: '[slow_query]\nthreshold = "5ms"\n', fill })

  await t.test('shows rates, plugins, slow queries and the configuration', async t => {
    const page = await site.open('status')
    await page.getByText('rows written a second').waitFor()
    await page.getByText('range(3000) a').waitFor()
    await page.getByRole('cell', { name: 'metricsys', exact: true }).waitFor()
    for (let i = 0; i < 5; i++) await runSql(site.url, `INSERT INTO weather VALUES (${i}, ${i})`)
    await page.waitForFunction(() => {
      const line = [...document.querySelectorAll('.legend li')].find(each => each.textContent!.startsWith('requests'))
      return Number(line?.querySelector('.figure')?.lastChild?.textContent?.replace('/s', '')) > 0
    })
    await look(t, page, 'status')
    await page.getByText('Configuration', { exact: true }).click()
    await page.getByText('threshold = "5ms"').waitFor()
    const dark = await site.open('status', { dark: true, viewport: narrow })
    await dark.getByText('rows written a second').waitFor()
    await look(t, dark, 'status-narrow-dark')
  })

  await t.test('a server that was away is shown again when it is back', async t => {
    const page = await site.open('status')
    const tiles = page.locator('.tiles strong')
    await tiles.first().waitFor()
    await site.stop()
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('does not answer').first().waitFor()
    await shows(t).equal(() => page.getByText('Failed to fetch').count(), 0)
    await site.start()
    await page.getByText('does not answer').first().waitFor({ state: 'detached' })
    await tiles.first().waitFor()
    await shows(t).equal(() => page.getByRole('alert').count(), 0)
  })
})

const plugin = `import { definePlugin } from 'weir-server'
export default definePlugin({
  name: 'mine', prefix: '', servers: [], config: { type: 'object', properties: {} },
  setup(core) {
    core.report({ component: 'consumer', state: 'degraded', reason: 'the broker does not answer' })
    core.report({ component: 'cache', state: 'failed', reason: 'no room' })
  }
})
`

t.test('plugins and their parts say how they are', needing('chromium'), async t => {
  const folder = temporaryFolder(t)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'index.js'), plugin)
  const site = await openSite(t, { toml: `[plugins.mine]\nmodule = "${folder}/index.js"\n` })
  const page = await site.open('status')
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name}\\b`) })
  await row('mine: consumer').getByText('the broker does not answer').waitFor()
  await shows(t).match(() => row('mine: consumer').textContent(), /degraded the broker does not answer since \d/)
  await shows(t).match(() => row('mine: cache').textContent(), /failed no room since/)
  await shows(t).match(() => row('sql').textContent(), /ok$/)
  await look(t, page, 'status-degraded')

  const home = await site.open('')
  const health = home.getByLabel('Health')
  await shows(t).match(() => home.locator('.tiles strong').first().textContent(), 'ready, 2 not ok')
  await shows(t).match(
    () => health.locator('tbody tr').allTextContents(),
    [/^mine: consumerdegraded the broker does not answer20\d\d-/, /^mine: cachefailed no room20\d\d-/]
  )
  await look(t, home, 'home-degraded')
  rmSync(join(site.folder, 'data'), { recursive: true })
  await shows(t).match(() => health.textContent(), /The server is not ready: the folder .*data.* is gone/)
  await shows(t).equal(() => home.locator('.tiles strong').first().textContent(), 'not ready')
})
