import { readFileSync } from 'node:fs'
import t from 'tap'
import { needing } from '../../programs.ts'
import { traceId } from '../jaeger/spans.ts'
import { look, narrow, openSite, runSql, type Site, shows } from './browser.ts'

const end = Date.UTC(2026, 4, 4, 12)
const count = 3000
const levels = ['INFO', 'INFO', 'INFO', 'DEBUG', 'WARN', 'ERROR']
const then = `from=${new Date(end - 3_600_000).toISOString()}&to=${new Date(end).toISOString()}`

/** One line per second, the newest first. */
function lineAt(i: number): string {
  const level = levels[i % levels.length]
  const message =
    level === 'ERROR' ? `POST /checkout/${i} failed: Timeout after 30 s` : `GET /cart/${i} served in ${i % 90} ms`
  return `(${end - (i + 1) * 1000}, '${level}', 'web${i % 3}', '${message}', ${level === 'ERROR' ? 504 : 200}, ${i === 7 ? `'${traceId}'` : 'NULL'})`
}

async function fill(url: string): Promise<void> {
  await runSql(
    url,
    "CREATE TABLE weblog (at TIMESTAMP(3) TIME INDEX, level STRING, host STRING, message STRING, status INT, trace_id STRING, PRIMARY KEY (host)) WITH (append_mode = 'true')"
  )
  await runSql(url, `INSERT INTO weblog VALUES ${Array.from({ length: count }, (_, i) => lineAt(i)).join(', ')}`)
  await runSql(url, 'CREATE TABLE notes (at TIMESTAMP(3) TIME INDEX, grade STRING, words STRING, more JSON)')
  await runSql(
    url,
    `INSERT INTO notes VALUES (${end - 1000}, 'W', 'first', '{ "b": [1,  2], "c" : {} }'), (${end - 2000}, 'E', 'second', '{"b": 1}')`
  )
  await runSql(
    url,
    "CREATE TABLE traced (at TIMESTAMP(3) TIME INDEX, level STRING, message STRING, trace_id STRING) WITH (append_mode = 'true')"
  )
  const now = Date.now()
  await runSql(
    url,
    `INSERT INTO traced VALUES (${now - 1000}, 'ERROR', 'Error: card declined\n    at pay (/srv/pay.js:10:3)\n    at run (/srv/run.js:44:9)', 'a1'), (${now - 2000}, 'ERROR', '\u001b[31mgift\u001b[0m declined', 'a1')`
  )
  await runSql(url, "CREATE TABLE carts (at TIMESTAMP(3) TIME INDEX, message STRING) WITH (append_mode = 'true')")
  const cartLine = (i: number, minutes: number, message: string) =>
    `(${end - minutes * 60_000 + 1 + i * 1000}, '${message}')`
  const carts = [
    ...Array.from({ length: 40 }, (_, i) => [
      cartLine(i, 20, `cart ${i} is paid`),
      cartLine(i, 10, `cart ${100 + i} is paid`)
    ]).flat(),
    ...Array.from({ length: 10 }, (_, i) => cartLine(i, 20, `somebody left cart ${i} behind in the shop`)),
    ...Array.from({ length: 20 }, (_, i) => cartLine(i, 10, `the bank answered ${i} ms too late`))
  ]
  await runSql(url, `INSERT INTO carts VALUES ${carts.join(', ')}`)
  await runSql(url, 'CREATE TABLE figures (at TIMESTAMP(3) TIME INDEX, value DOUBLE)')
  const attribute = (key: string, value: object) => ({ key, value })
  const logRecords = [1, 2].map(i => ({
    timeUnixNano: `${BigInt(end - 1000) * 1_000_000n + BigInt(i)}`,
    severityText: 'INFO',
    body: { stringValue: `record ${i}` },
    attributes: [attribute('user.id', { stringValue: `user-${i}` }), attribute('size', { intValue: i === 1 ? 22 : 2 })]
  }))
  const response = await fetch(`${url}/v1/telemetry/v1/logs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ resourceLogs: [{ scopeLogs: [{ logRecords }] }] })
  })
  if (!response.ok) throw new Error(await response.text())
}

const insert = (url: string, at: number, message: string) =>
  runSql(url, `INSERT INTO weblog VALUES (${at}, 'WARN', 'web9', '${message}', 200, NULL)`)

const again = (site: Site, url: string) => url.slice(`${site.url}/dashboard/`.length)

t.test('the page of logs', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('shows the newest lines and how many there were over time by level', async t => {
    const page = await site.open(`logs?table=weblog&${then}`)
    await page.getByText('3,000 lines, a bar is 1 min').waitFor()
    await shows(t).same(
      () => page.locator('.histogram .legend .name').allTextContents(),
      ['DEBUG', 'INFO', 'WARN', 'ERROR']
    )
    const lines = page.getByRole('list', { name: 'Lines', exact: true })
    await shows(t).match(
      () => lines.getByRole('listitem').first().textContent(),
      /INFO.*GET \/cart\/0 served.*host=web0 status=200/
    )
    await shows(t).ok(
      async () => (await lines.getByRole('listitem').count()) < 100,
      'only lines in sight are in the page'
    )
    await shows(t).notOk(
      async () => (await page.getByLabel('Table').textContent())!.includes('figures'),
      'tables without texts are no logs'
    )
    await look(t, page, 'logs')
    await page.getByRole('button', { name: 'Load more' }).click()
    await page.getByText('1,000 lines in').waitFor()
    await page.getByRole('button', { name: /^ERROR/ }).click()
    await shows(t).equal(
      () => page.getByRole('button', { name: /^INFO/ }).getAttribute('aria-pressed'),
      'false',
      'one alone'
    )
    const box = (await page.locator('.u-over').boundingBox())!
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + 50, { steps: 4 })
    await page.mouse.up()
    await page.getByText('lines, a bar is 10 s').waitFor()
    await shows(t).match(() => page.url(), /from=2026-05-04T11%3A[23]/)
  })

  await t.test('searches words, builds filters, and its address shows the same again', async t => {
    const page = await site.open(`logs?table=weblog&${then}`)
    const search = page.getByLabel('Search in lines')
    await search.fill('timeout')
    await page.keyboard.press('Enter')
    await page.getByText('No lines in this time').waitFor()
    await page.getByRole('button', { name: 'Ignore case' }).click()
    await page.getByText('500 lines, a bar').waitFor()
    await search.fill('"Timeout after" -checkout/11')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('480 lines, a bar').waitFor()
    await page.getByRole('button', { name: 'Add filter' }).click()
    await page.getByLabel('Column').selectOption('status')
    await page.getByLabel('Operator').selectOption('≥')
    await page.getByRole('textbox', { name: 'Value' }).fill('500')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'host String' }).click()
    const values = page.getByRole('list', { name: 'Values of host' })
    await values.getByText('web2').waitFor()
    await shows(t).equal(() => values.getByRole('listitem').count(), 1)
    await values.getByRole('button', { name: 'Without web2' }).click()
    await page.getByText('No lines in this time').waitFor()
    const other = await site.open(again(site, page.url()), { dark: true, viewport: narrow })
    await other.getByText('No lines in this time').waitFor()
    await shows(t).equal(() => other.getByRole('list', { name: 'Filters' }).getByRole('listitem').count(), 2)
    await look(t, other, 'logs-filters-narrow-dark')
    await other.getByRole('button', { name: 'host is not web2', exact: true }).click()
    await other.getByLabel('Operator').selectOption('is one of')
    await other.getByRole('textbox', { name: 'Value' }).fill('web1, web2')
    await other.keyboard.press('Enter')
    await other.getByText('480 lines, a bar').waitFor()
    await other.getByRole('button', { name: 'Remove status ≥ 500' }).click()
    await other.getByRole('button', { name: 'Remove host is one of web1, web2' }).click()
    await other.getByRole('list', { name: 'Filters' }).waitFor({ state: 'detached' })
    await other.getByRole('button', { name: 'host String' }).click()
    await other.getByText('Fields').click()
    await look(t, other, 'logs-narrow-dark')
  })

  await t.test('tells what the server refuses', async t => {
    const page = await site.open(`logs?table=weblog&${then}&f=${encodeURIComponent('[["message","regex","("]]')}`)
    await shows(t).match(() => page.getByRole('alert').textContent(), /^The filter/)
    const none = await site.open('logs?table=figures')
    await none.getByText('There is no table figures with texts').waitFor()
  })

  await t.test('opens a line with its fields, filters, context and trace', async t => {
    const page = await site.open(`logs?table=weblog&${then}`)
    await page.getByRole('button', { name: /cart\/7 served/ }).focus()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('ArrowDown')
    await page.getByText('3,000 lines, a bar').waitFor()
    const requests: string[] = []
    page.on('request', request => void requests.push(request.url()))
    await page.keyboard.press('Enter')
    const details = page.getByRole('complementary', { name: 'Line' })
    await details.getByText(traceId).first().waitFor()
    t.notMatch(requests.join(), '/v1/', 'nothing is loaded anew')
    await details.getByText('Lines around it').click()
    const around = details.getByRole('region', { name: 'Lines around it' })
    await around.waitFor()
    await shows(t).equal(() => around.getByRole('listitem').count(), 11)
    await shows(t).match(() => around.locator('[aria-current]').textContent(), /cart\/7 /)
    await details.getByText('JSON', { exact: true }).click()
    await shows(t).match(() => details.locator('pre').last().textContent(), '"status": 200')
    await look(t, page, 'logs-line')
    await details.getByRole('button', { name: 'Older' }).click()
    await details.locator('pre').getByText('cart/8 ').first().waitFor()
    await details.getByRole('button', { name: 'Newer' }).click()
    const link = (await details.getByRole('link', { name: 'Trace' }).getAttribute('href'))!
    t.match(link, /^\/dashboard\/traces\?/)
    t.equal(new URL(link, site.url).searchParams.get('trace'), traceId)
    const other = await site.open(again(site, page.url()).replace(/to=[^&]*/, 'to=2026-05-04T11:30:00Z'), {
      dark: true,
      viewport: narrow
    })
    await other.getByRole('complementary', { name: 'Line' }).getByText(traceId).first().waitFor()
    await look(t, other, 'logs-line-narrow-dark')
    await details.getByRole('button', { name: 'Filter out host web1' }).click()
    await details.getByRole('button', { name: 'Filter for level INFO' }).click()
    await page.keyboard.press('Escape')
    await page.getByText('1,000 lines, a bar').waitFor()
    await details.waitFor({ state: 'detached' })
  })

  await t.test('finds lines of a trace and members of objects', async t => {
    const page = await site.open(`logs?q=${traceId}&table=weblog&${then}`)
    await page.getByText('1 line, a bar').waitFor()
    await page.getByLabel('Table').selectOption('telemetry_logs')
    await page.getByLabel('Search in lines').fill('')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: /record 2/ }).click()
    await page.getByRole('button', { name: 'Filter for log_attributes.user.id user-2' }).click()
    await page.getByText('1 line, a bar').waitFor()
    await shows(t).match(
      () => page.getByRole('list', { name: 'Filters' }).textContent(),
      'has the member "user.id": "user-2"'
    )
    await look(t, page, 'logs-objects')
    await page.getByRole('button', { name: 'Filter out log_attributes.size 2' }).click()
    await page.getByText('No lines in this time').waitFor()
  })

  await t.test('knows levels by their values, and objects however they were written', async t => {
    const page = await site.open(`logs?table=notes&${then}`)
    await page.getByText('2 lines, a bar').waitFor()
    // The bars are one colour until the values of the level are known.
    await page.locator('.histogram .legend .name', { hasText: 'W' }).waitFor()
    await shows(t).same(() => page.locator('.histogram .legend .name').allTextContents(), ['W', 'E'])
    await shows(t).equal(() => page.locator('.level.error').textContent(), 'E')
    await page.getByRole('button', { name: 'more Json' }).click()
    await page.getByRole('button', { name: /^{"b":\[1,2],"c":{}}/ }).click()
    await page.getByText('1 line, a bar').waitFor()
    await page.getByRole('button', { name: /^Remove more is/ }).click()
    await page.getByText('2 lines, a bar').waitFor()
    await page.getByRole('button', { name: /second/ }).click()
    await page.getByRole('button', { name: 'Filter out more.b 1' }).click()
    await page.getByText('1 line, a bar').waitFor()
    await page.getByRole('button', { name: 'Copy as JSON' }).click()
    await page.getByText('Copied').waitFor()
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: /first/ }).waitFor()
    await runSql(site.url, `INSERT INTO notes VALUES (${end - 500}, 'I', 'third', NULL)`)
    await page.getByRole('button', { name: 'Refresh' }).click()
    await page.getByText('2 lines, a bar').waitFor()
  })

  await t.test('follows new lines, can be paused, and says why it ends', async t => {
    const page = await site.open('logs?table=weblog&q=fresh')
    await page.getByText('No lines in this time').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByText('Live: waiting for new lines.').waitFor()
    await insert(site.url, Date.now(), 'a fresh one')
    await insert(site.url, Date.now(), 'a stale one')
    await page.getByText('Live: 1 new line.').waitFor()
    await page.getByRole('button', { name: /a fresh one/ }).waitFor()
    const lamp = (await page.locator('.live .lamp').boundingBox())!
    const words = (await page.locator('.live [role="status"]').boundingBox())!
    t.ok(lamp.x + lamp.width <= words.x && lamp.y < words.y + words.height, 'the lamp stands before its words')
    await look(t, page, 'logs-live')
    await page.getByRole('button', { name: 'Pause' }).click()
    await insert(site.url, Date.now(), 'fresh while paused')
    await page.getByText('1 new line waits').waitFor()
    await shows(t).equal(() => page.getByRole('button', { name: /while paused/ }).count(), 0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await shows(t).match(
      () => page.getByRole('list', { name: 'Lines', exact: true }).getByRole('listitem').first().textContent(),
      /paused/
    )
    const many = Array.from({ length: 2500 }, (_, i) => `(${Date.now()}, 'INFO', 'web9', 'fresh ${i}', 200, NULL)`)
    await runSql(site.url, `INSERT INTO weblog VALUES ${many.join(', ')}`)
    await page.getByText('502 older ones were not kept').waitFor()
    await page.getByRole('button', { name: 'Live' }).click()
    await page.getByText('2,502 lines, a bar').waitFor()
    const other = await site.open(`logs?table=weblog&live=1&f=${encodeURIComponent('[["message","regex","("]]')}`)
    await other.getByRole('region', { name: 'Live tail' }).getByRole('alert').waitFor()
    await other.getByRole('button', { name: 'Connect again' }).waitFor()
  })

  await t.test('stack traces keep their lines, colours of terminals are colours, words found are marked', async t => {
    for (const dark of [false, true]) {
      const page = await site.open(`logs?table=traced&q=declined&from=now-2h`, { dark })
      const line = page.getByRole('button', { name: /card declined/ })
      await line.waitFor()
      const [one, three] = [
        await page.getByRole('button', { name: /gift declined/ }).boundingBox(),
        await line.boundingBox()
      ]
      t.equal(three!.height - one!.height, 40, 'two lines more')
      const below = await page.getByRole('listitem').filter({ hasText: 'gift' }).boundingBox()
      t.ok(Math.abs(below!.y - (three!.y + three!.height)) < 2 || below!.y < three!.y, 'nothing overlaps')
      await shows(t).notOk(async () => (await page.locator('.log-lines').textContent())!.includes('[31m'))
      const [red, plain] = await page
        .locator('.log-lines .ansi-red, .log-lines .message')
        .evaluateAll(all =>
          ['ansi-red', 'message'].map(name => getComputedStyle(all.find(each => each.classList.contains(name))!).color)
        )
      t.not(red, plain)
      await shows(t).same(async () => new Set(await page.locator('mark').allTextContents()), new Set(['declined']))
      await look(t, page, `logs-traced-${dark ? 'dark' : 'light'}`)
    }
  })

  await t.test('lines can be wrapped, turned around, shown in part, and saved', async t => {
    const page = await site.open(`logs?table=weblog&${then}`)
    await page.getByText('3,000 lines, a bar').waitFor()
    await page.getByRole('button', { name: 'View of lines' }).click()
    await page.getByLabel('Oldest first').check()
    await page.getByText('the oldest first').waitFor()
    const first = page.getByRole('list', { name: 'Lines', exact: true }).getByRole('listitem').first()
    await first.getByText('/cart/2999 served').or(first.getByText('/2999')).first().waitFor()
    await page.getByLabel('host', { exact: true }).uncheck()
    await page.waitForFunction(() => !document.querySelector('.log-lines')?.textContent?.includes('host='))
    await shows(t).match(() => first.textContent(), 'status=')
    await page.getByLabel('Wrap long lines').check()
    await page.locator('.log-lines.wrapped').waitFor()
    // Wrapped lines are all in the page, and the check of each takes its time.
    await page.getByLabel('Search in lines').fill('"cart/298"')
    await page.keyboard.press('Enter')
    await page.getByText('9 lines, a bar').waitFor()
    await look(t, page, 'logs-look')
    await page.getByLabel('Search in lines').fill('')
    await page.keyboard.press('Enter')
    await page.getByText('3,000 lines, a bar').waitFor()
    const load = async (kind: string) => {
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: kind, exact: true }).click()
      ])
      return readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n')
    }
    await shows(t).match(() => load('CSV'), { length: 3001, 0: /^at,level,host,message/ })
    const lines = await load('NDJSON')
    t.equal(lines.length, 3000)
    t.match(JSON.parse(lines[0]!), { at: /^2026-05-04T11:59:59/, host: 'web0' })
    await shows(t).match(async () => (await load('Text'))[0], /^2026-05-04T11:59:59.000Z GET \/cart\/0 served/)
  })

  await t.test('says of which filter or word it is that is wrong', async t => {
    const page = await site.open(`logs?table=weblog&${then}&f=${encodeURIComponent('[["message","regex","("]]')}`)
    await shows(t).match(
      () => page.getByRole('alert').textContent(),
      /^The filter “message matches the expression \(”: .*missing closing/
    )
  })

  await t.test('similar lines are patterns, and a time is compared with another one', async t => {
    const time = `from=${new Date(end - 600_000).toISOString()}&to=${new Date(end).toISOString()}`
    const page = await site.open(`logs?table=carts&${time}`, { viewport: { width: 1440, height: 900 } })
    await page.getByRole('button', { name: 'Patterns' }).click()
    const rows = page.getByLabel('Patterns', { exact: true }).locator('tbody tr')
    await rows.nth(1).waitFor()
    t.match(await rows.allTextContents(), [/^40.*cart … is paid/, /^20.*the bank answered … ms too late/])
    const cell = (await rows.nth(1).locator('td').nth(1).boundingBox())!
    const text = (await rows.nth(1).locator('mark').first().boundingBox())!
    t.ok(text.x < cell.x + cell.width / 2, 'a pattern begins where its column does')
    await rows.nth(1).locator('summary').click()
    await shows(t).match(
      () => rows.nth(1).getByLabel('Examples').locator('li').first().textContent(),
      /the bank answered \d+ ms/
    )
    await page.getByLabel('Compare with').selectOption('the time before')
    await rows.nth(2).waitFor()
    t.match(await rows.allTextContents(), [
      /^200new.*the bank answered/,
      /^010gone.*somebody left cart … behind/,
      /^4040as many.*cart … is paid/
    ])
    await shows(t).match(
      () => page.getByLabel('Comparison').textContent(),
      /^50 lines from 2026-05-04 11:40:00 to .*; now \+20 %$/
    )
    await shows(t).equal(() => page.locator('.histogram canvas').count(), 2)
    await look(t, page, 'logs-patterns')
    await rows.nth(1).getByRole('button', { name: 'Lines' }).click()
    await page.getByText('somebody left cart 3 behind in the shop').waitFor()
    t.match(Object.fromEntries(new URL(page.url()).searchParams), { from: '2026-05-04T11:40:00.000Z', with: 'before' })
    const dark = await site.open(`logs?table=carts&view=patterns&with=1d&${time}`, { dark: true, viewport: narrow })
    await dark.getByText('new', { exact: true }).first().waitFor()
    await look(t, dark, 'logs-patterns-narrow-dark')
    const middle = await site.open(`logs?table=carts&view=patterns&with=2026-05-04T11:40:00Z&${time}`, {
      viewport: { width: 1024, height: 768 }
    })
    await middle.getByText('gone', { exact: true }).waitFor()
    await shows(t).equal(() => middle.getByLabel('Beginning of the other time').inputValue(), '2026-05-04T11:40:00Z')
    await look(t, middle, 'logs-patterns-1024')
  })
})
