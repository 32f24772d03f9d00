import { statSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import t from 'tap'
import { needing } from '../../programs.ts'
import { openSite, runSql } from './browser.ts'

const assets = join(import.meta.dirname, '../../../plugins/dashboard/assets')
/** Limits in bytes after gzip: of a first visit with everything it preloads, and of each further page. */
const maxFirst = 200 * 1024
const maxFurther = 60 * 1024
/** Seconds of the page's own thread. */
const maxWork = 0.5

async function fill(url: string): Promise<void> {
  await runSql(url, 'CREATE TABLE load (ts TIMESTAMP(3) TIME INDEX, host STRING PRIMARY KEY, value DOUBLE)')
  const now = Date.now()
  await runSql(url, `INSERT INTO load VALUES (${now - 60_000}, 'a', 3), (${now - 30_000}, 'a', 1.5)`)
}

/** Bytes of the files that a page has asked for. */
function watch(page: Page): () => number {
  const files = new Set<string>()
  page.on('request', request => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/dashboard/assets/')) files.add(pathname.slice('/dashboard/'.length))
  })
  return () => [...files].reduce((sum, file) => sum + statSync(join(assets, `${file}.gz`)).size, 0)
}

const editorIsThere = (page: Page) =>
  page.waitForFunction(() =>
    performance.getEntriesByType('resource').some(({ name }) => /\/editor-[^/]*\.js$/.test(name))
  )

/** Seconds the page's own thread has worked. */
async function workOf(page: Page): Promise<() => Promise<number>> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const read = async () => {
    const { metrics } = await session.send('Performance.getMetrics')
    return metrics.find(({ name }) => name === 'TaskDuration')!.value
  }
  const before = await read()
  return async () => (await read()) - before
}

t.test('bytes of the pages', needing('chromium'), async t => {
  const site = await openSite(t, { fill })
  const expression = encodeURIComponent('sum by (host) (load)')
  const legend = (page: Page) => page.locator('.legend li').first().waitFor()
  for (const [name, path, isShown] of [
    ['Home', 'home', (page: Page) => page.getByText('written since it started').waitFor()],
    ['Query', `query?lang=promql&q=${expression}`, legend],
    ['Metrics', `metrics?metric=load&panels=${expression}`, legend],
    ['Dashboards', 'boards?board=weir-server', (page: Page) => page.getByText('On disk').waitFor()]
  ] as const) {
    await t.test(`${name} first: at most 200 KiB, and it works for half a second at most`, async t => {
      const page = await site.open('ingest')
      await page.getByRole('heading', { name: 'Ingest' }).waitFor()
      const bytes = watch(page)
      const worked = await workOf(page)
      await page.goto(`${site.url}/dashboard/${path}`)
      await isShown(page)
      const work = await worked()
      await editorIsThere(page)
      await page.waitForLoadState('networkidle')
      t.comment(`${name} first: ${(bytes() / 1024).toFixed(1)} KiB, ${work.toFixed(2)} s`)
      t.ok(bytes() <= maxFirst, `${bytes()} bytes`)
      t.ok(work <= maxWork, `${work} s`)
    })
  }

  await t.test('each further page adds at most 60 KiB', async t => {
    const page = await site.open('home')
    const names = await page.getByRole('navigation').getByRole('link').allTextContents()
    t.ok(names.length > 10, names.join())
    for (const name of names.filter(each => !/^(Weir|Home|Profiles)$/.test(each))) {
      await page.goto(`${site.url}/dashboard/home`)
      await editorIsThere(page)
      await page.waitForLoadState('networkidle')
      const bytes = watch(page)
      await page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
      await page.getByRole('heading', { name, level: 1 }).waitFor()
      await page.waitForLoadState('networkidle')
      t.comment(`${name}: ${(bytes() / 1024).toFixed(1)} KiB more`)
      t.ok(bytes() <= maxFurther, `${name}: ${bytes()} bytes`)
    }
  })
})
