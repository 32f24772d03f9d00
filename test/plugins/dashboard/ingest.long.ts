import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, shows } from './browser.ts'

t.test('the page that takes data in', needing('chromium'), async t => {
  const site = await openSite(t)

  await t.test('stores what is pasted and tells what is wrong with it', async t => {
    const page = await site.open('ingest')
    await page.getByRole('textbox', { name: 'Data' }).fill('weather,city=Oslo temp=-3.5 1700000000\nweather temp=x')
    await page.getByLabel('Precision').selectOption('s')
    await page.getByRole('button', { name: 'Send' }).click()
    await shows(t).match(() => page.getByRole('alert').textContent(), /line 2, column/)
    await look(t, page, 'ingest-error')
    await page.getByRole('textbox', { name: 'Data' }).fill('weather,city=Oslo temp=-3.5 1700000000')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('Stored.').waitFor()
    await page.getByRole('button', { name: 'NDJSON' }).click()
    await page.getByRole('textbox', { name: 'Table' }).fill('my logs')
    await page
      .getByRole('textbox', { name: 'Data' })
      .fill('{"level":"warn","message":"a"}\n{"level":"info","message":"b"}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('2 rows stored').waitFor()
    await page.getByRole('link', { name: 'Look at my logs' }).click()
    await page.getByText('2 rows in').waitFor()
  })

  await t.test('takes files, text and JSON', async t => {
    const page = await site.open('ingest?format=json', { dark: true, viewport: narrow })
    const file = join(t.testdir({}), 'items.json')
    writeFileSync(file, JSON.stringify(Array.from({ length: 1000 }, (_, i) => ({ i, message: `item ${i}` }))))
    await page.getByLabel('File').setInputFiles(file)
    await page.getByText('items.json').waitFor()
    await look(t, page, 'ingest-narrow-dark')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('1,000 rows stored').waitFor()
    await page.getByRole('button', { name: 'Text' }).click()
    await page.getByRole('textbox', { name: 'Data' }).fill('one line\nanother line')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('2 rows stored').waitFor()
    await page.getByRole('button', { name: 'JSON put' }).click()
    await page
      .getByRole('textbox', { name: 'Data' })
      .fill('{"metric":"sys.load","timestamp":1700000000,"value":0.7,"tags":{}}')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('1 point stored').waitFor()
  })

  await t.test('the shown curl command works when it is copied', async t => {
    const page = await site.open('ingest')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    for (const agent of ['curl-lines', 'curl-logs', 'splunk', 'put']) {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption(agent)
      await page.getByRole('button', { name: 'Copy' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      const command = await page.evaluate(() => navigator.clipboard.readText())
      const { stdout } = await promisify(execFile)('sh', ['-c', `${command} -s -w '%{http_code}'`])
      t.match(stdout, /20[04]$/, agent)
    }
    for (const option of await page.getByRole('combobox', { name: 'Agent' }).locator('option').all()) {
      await page.getByRole('combobox', { name: 'Agent' }).selectOption((await option.getAttribute('value'))!)
      const text = (await page.locator('.snippet pre').textContent())!
      t.ok(text.includes(new URL(site.url).port), (await option.textContent()) ?? '')
      t.notMatch(text, /password/i, 'a server without users wants none')
    }
  })

  await t.test('an empty server says how to send the first rows', async t => {
    const page = await site.open('?db=information_schema')
    await page.getByRole('heading', { name: 'Send the first rows' }).waitFor()
    await shows(t).match(() => page.locator('.snippet pre').textContent(), new URL(site.url).port)
    await look(t, page, 'home-empty')
  })
})
