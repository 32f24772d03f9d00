import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { needing } from '../../programs.ts'
import { writeV1 } from '../metricsys/messages.ts'
import { look, narrow, openSite, runSql, shows } from './browser.ts'

async function fill(url: string): Promise<void> {
  await runSql(
    url,
    `CREATE TABLE weather (ts TIMESTAMP(3) TIME INDEX, site STRING, degrees DOUBLE, note STRING, PRIMARY KEY (site)) WITH (ttl = '7d')`
  )
  const now = Date.now()
  await runSql(
    url,
    `INSERT INTO weather VALUES (${now - 3_600_000}, 'north', 15, 'cold'), (${now}, 'south', 21, 'warm')`
  )
  await runSql(url, 'CREATE VIEW warm AS SELECT * FROM weather WHERE degrees > 20')
  await runSql(url, 'CREATE DATABASE other')
}

t.test('the page of tables', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('lists tables and tells everything of one', async t => {
    const page = await site.open('tables')
    await page.getByRole('button', { name: 'weather' }).waitFor()
    await shows(t).equal(() => page.getByRole('status').textContent(), '2 of 2')
    const right = (place: string) =>
      page
        .locator(place)
        .nth(2)
        .evaluate(each => {
          const range = document.createRange()
          range.selectNodeContents(each)
          return range.getBoundingClientRect().right
        })
    t.ok(Math.abs((await right('thead th')) - (await right('tbody tr:last-child td'))) < 2, 'heads stand above numbers')
    await page.getByRole('searchbox', { name: 'Search tables' }).fill('wea')
    await page.getByText('1 of 2').waitFor()
    await page.getByRole('button', { name: 'weather' }).click()
    const details = page.getByRole('complementary', { name: 'weather' })
    await details.getByText('TimestampMillisecond').waitFor()
    for (const text of ['7days', 'CREATE TABLE', 'Oldest row', 'Float64', 'tag']) {
      await shows(t).ok(async () => (await details.textContent())!.includes(text), text)
    }
    await look(t, page, 'tables')
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    const dark = await site.open('tables?table=weather', { dark: true, viewport: narrow })
    await dark.getByText('Oldest row').waitFor()
    await look(t, dark, 'tables-narrow-dark')
    await dark.getByRole('link', { name: 'Newest rows' }).click()
    await dark.getByText('2 rows in').waitFor()
  })

  await t.test('says what to do where there is none', async t => {
    const page = await site.open('tables')
    await page.getByLabel('Database').selectOption('other')
    await page.getByText('There is no table in other yet').waitFor()
    await look(t, page, 'tables-empty')
  })

  await t.test('a metric says in whose files its rows are', async t => {
    const series = { labels: { __name__: 'up', job: 'api' }, samples: [[Date.now(), 1]] as [number, number][] }
    await fetch(`${site.url}/v1/metricsys/write`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
      body: Buffer.from(encodeSnappy(writeV1([series])))
    })
    const page = await site.open('tables')
    const row = page.getByRole('row', { name: /^up / })
    await shows(t).match(() => row.textContent(), /^upmetricin the files of svc_physical_table$/)
    await look(t, page, 'tables-metric')
  })

  await t.test('keys lead to pages and tables', async t => {
    const page = await site.open('tables')
    await page.getByRole('button', { name: 'weather' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('gl')
    await shows(t).equal(
      () => page.getByRole('searchbox', { name: 'Search tables' }).inputValue(),
      'gl',
      'what is written is not a key'
    )
    await page.getByRole('heading', { name: 'Tables' }).click()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keys' }).getByText('g l').waitFor()
    await look(t, page, 'keys')
    // One after the other without a pause: the browser tells late that a dialog was closed.
    for (const closing of ['Escape', 'Enter', 'Escape']) {
      if (closing === 'Enter') await page.getByRole('dialog', { name: 'Keys' }).getByRole('button').focus()
      await page.keyboard.press(closing)
      await page.keyboard.press('ControlOrMeta+K')
      await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('help')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Keys' }).getByText('g l').waitFor()
    }
    await page.keyboard.press('Escape')
    await page.keyboard.press('ControlOrMeta+K')
    await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('weath')
    await page.getByRole('option', { name: /^weather/ }).waitFor()
    await look(t, page, 'palette')
    const combobox = page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox')
    await combobox.fill('log')
    const options = page.getByRole('dialog', { name: 'Go to' }).getByRole('option')
    await shows(t).match(() => options.allTextContents(), [/^Logs page/, /^Access log dashboard/])
    await combobox.fill('weath')
    await shows(t).equal(() => options.count(), 1)
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'weather' }).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('g')
    await page.keyboard.press('l')
    await page.waitForURL('**/logs')
  })
})
