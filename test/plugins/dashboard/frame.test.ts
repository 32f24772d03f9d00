import t from 'tap'
import { needing } from '../../programs.ts'
import { drawnTexts, look, narrow, openSite, runSql, shows } from './browser.ts'

const start = Date.now() - 3_600_000

async function fill(url: string): Promise<void> {
  await runSql(
    url,
    'CREATE TABLE weather (ts TIMESTAMP(3) TIME INDEX, site STRING, degrees DOUBLE, PRIMARY KEY (site))'
  )
  const rows = Array.from({ length: 600 }, (_, i) => {
    const site = i % 2 === 0 ? 'north' : 'south'
    return `(${start + i * 6000}, '${site}', ${(15 + 5 * Math.sin(i / 40)).toFixed(2)})`
  })
  await runSql(url, `INSERT INTO weather VALUES ${rows.join(', ')}`)
}

t.test('the frame of all pages', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('the editor keeps its height whatever is below it, at every width', async t => {
    const q = encodeURIComponent('SELECT * FROM range(5000)')
    for (const [width, height] of [
      [1440, 900],
      [1024, 500],
      [390, 600]
    ] as const) {
      const page = await site.open('query', { viewport: { width, height } })
      const before = (await page.locator('.editor').boundingBox())!.height
      await page.goto(`${site.url}/dashboard/query?q=${q}`)
      await page.getByText('5,000 rows in').waitFor()
      await shows(t).equal(async () => (await page.locator('.editor').boundingBox())!.height, before, `${width}`)
      t.ok(before > 100)
    }
  })

  await t.test('a link shows the same time and database to everybody; going on keeps them', async t => {
    await runSql(site.url, 'CREATE DATABASE other')
    const link = 'metrics?db=other&from=2026-05-04 10:00&to=2026-05-04T12:00:00Z'
    const words = []
    for (const timezoneId of ['Asia/Tokyo', 'UTC']) {
      const page = await site.open(link, { timezoneId })
      const range = page.locator('.time-range > button')
      words.push(await range.textContent())
      await shows(t).equal(() => page.getByLabel('Database').inputValue(), 'other')
      await range.click()
      await page.getByLabel('From', { exact: true }).fill('2026-05-04 09:00')
      await page.getByLabel('To', { exact: true }).fill('2026-05-04 08:00')
      await page.getByRole('button', { name: 'Show' }).click()
      await shows(t).match(
        () => page.getByLabel('To', { exact: true }).evaluate((each: HTMLInputElement) => each.validationMessage),
        /is not before/
      )
      await page.getByLabel('To', { exact: true }).fill('2026-05-04 09:30')
      await page.getByRole('button', { name: 'Show' }).click()
      const from = timezoneId === 'UTC' ? '2026-05-04T09:00:00.000Z' : '2026-05-04T00:00:00.000Z'
      await shows(t).equal(() => new URL(page.url()).searchParams.get('from'), from)
      await page.getByRole('link', { name: 'Logs' }).click()
      await page.waitForURL('**/logs?*')
      await shows(t).match(() => Object.fromEntries(new URL(page.url()).searchParams), { db: 'other', from })
    }
    t.same(words, [
      '2026-05-04 19:00:00 to 2026-05-04 21:00:00 local',
      '2026-05-04 10:00:00 to 2026-05-04 12:00:00 local'
    ])
    const wrong = await site.open('metrics?from=now&to=now-1h')
    await shows(t).match(() => wrong.getByRole('alert').textContent(), 'now is not before now-1h')
  })

  await t.test('menus lie on the screen, one at a time, and close', async t => {
    const page = await site.open(`query?q=${encodeURIComponent('SELECT 1')}`, { viewport: narrow })
    await page.getByText('1 row in').waitFor()
    const sheets = page.locator('.sheet:popover-open')
    for (const name of ['Saved', 'Last hour local', 'Download']) {
      // One may lie over the button of the next.
      await page.getByRole('button', { name, exact: true }).evaluate((each: HTMLButtonElement) => each.click())
      await shows(t).equal(() => sheets.count(), 1, name)
      const box = (await sheets.boundingBox())!
      t.ok(box.x >= 0 && box.x + box.width <= narrow.width, `${name} from ${box.x} to ${box.x + box.width}`)
      t.ok(box.y >= 0 && box.y + box.height <= narrow.height, `${name} from ${box.y} to ${box.y + box.height}`)
    }
    await look(t, page, 'menu-narrow')
    await page.keyboard.press('Escape')
    await shows(t).equal(() => sheets.count(), 0, 'Escape')
    await page.getByRole('button', { name: 'Saved', exact: true }).click()
    await page.mouse.click(5, narrow.height - 5)
    await shows(t).equal(() => sheets.count(), 0, 'a click outside')
    await page.goto(`${site.url}/dashboard/status`)
    const current = page.locator('nav [aria-current]')
    await page.waitForFunction(() => {
      const { left, right } = document.querySelector('nav [aria-current]')!.getBoundingClientRect()
      return left >= 0 && right <= innerWidth
    })
    await shows(t).equal(() => current.textContent(), 'Status')
  })

  await t.test('the first chart is one of the last ten minutes from its first reading on', async t => {
    const page = await site.open('')
    const words = (await drawnTexts(page, 'Rows a second')).map(({ text }) => text)
    const [dates, clocks] = [/^\d{4}-/, /^\d\d:\d\d$/].map(pattern => words.filter(word => pattern.test(word)))
    const now = Date.now()
    t.ok(clocks!.length >= 2, words.join())
    for (const clock of clocks!) {
      const since = (now - Date.parse(`${new Date(now).toISOString().slice(0, 10)}T${clock}Z`)) / 60_000
      t.ok((since + 1440) % 1440 < 12, `${clock}, ${new Date(now).toISOString()}`)
    }
    const days = [now - 600_000, now].map(at => new Date(at).toISOString().slice(0, 10))
    t.ok(dates!.length > 0 && dates!.every(date => days.includes(date)), words.join())
  })

  await t.test('the first page shows what comes in, and leads on', async t => {
    const page = await site.open('')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const tables = page.getByLabel('Newest tables')
    await tables.getByRole('link', { name: 'weather' }).waitFor()
    await shows(t).match(() => page.getByLabel('Coming in', { exact: true }).textContent(), /sql600/)
    await look(t, page, 'home')
    const dark = await site.open('', { dark: true, viewport: narrow })
    await dark.getByLabel('Newest tables').getByRole('link', { name: 'weather' }).waitFor()
    await look(t, dark, 'home-narrow-dark')
    await tables.getByRole('link', { name: 'weather' }).click()
    await page.getByRole('complementary', { name: 'weather' }).waitFor()
  })
})
