import t from 'tap'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, runSql } from './browser.ts'

t.setTimeout(180_000)

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
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('does not answer').first().waitFor()
    t.equal(await page.getByText('Failed to fetch').count(), 0)
    await page.context().setOffline(false)
    await page.getByText('does not answer').first().waitFor({ state: 'detached' })
    await tiles.first().waitFor()
    t.equal(await page.getByRole('alert').count(), 0)
  })
})
