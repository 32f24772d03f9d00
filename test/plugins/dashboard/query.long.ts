import { readFileSync } from 'node:fs'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import t from 'tap'
import { needing } from '../../programs.ts'
import { slowness } from '../../time.ts'
import { drawnTexts, look, narrow, openSite, runSql, shows, watchSql, write } from './browser.ts'

const start = Date.now() - 3_600_000

/** The time of the data: what is asked of now would find them old when the machine is busy. */
const then = `from=${new Date(start).toISOString()}&to=${new Date(start + 3_600_000).toISOString()}`

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
  await runSql(url, 'CREATE TABLE crowd (ts TIMESTAMP(3) TIME INDEX, n STRING PRIMARY KEY, v DOUBLE)')
  for (let at = 0; at < 15; at++) {
    const values = Array.from({ length: 2_000 }, (_, i) => `(${start + at * 240_000}, '${i}', ${i + at / 7})`)
    await runSql(url, `INSERT INTO crowd VALUES ${values.join(', ')}`)
  }
}

/** Statements that run. */
async function runningOn(url: string): Promise<string[]> {
  const reply = await fetch(`${url}/v1/sql?${new URLSearchParams({ sql: 'SHOW FULL PROCESSLIST', format: 'ndjson' })}`)
  return (await reply.text()).split('\n').filter(line => !line.includes('PROCESSLIST'))
}

t.test('the query page', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('runs SQL, shows it as table, chart and JSON, and its address shows the same again', async t => {
    const page = await site.open('query')
    await write(page, 'SQL statement', 'SELECT ts, site, degrees FROM weather ORDER BY ts')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('600 rows in').waitFor()
    await shows(t).match(() => page.locator('.grid tbody tr').nth(0).textContent(), /north/)
    await shows(t).ok(
      async () => (await page.locator('.grid tbody tr').count()) < 100,
      'only rows in sight are in the page'
    )
    await look(t, page, 'query-table')
    await page.getByRole('button', { name: 'Chart' }).click()
    await page.locator('.legend li').nth(1).waitFor()
    await shows(t).equal(() => page.locator('.legend li').count(), 2)
    await look(t, page, 'query-chart')
    const again = await site.open(page.url().slice(`${site.url}/dashboard/`.length))
    await again.locator('.legend').getByText('south').waitFor()
    await again.getByRole('button', { name: 'JSON' }).click()
    await shows(t).match(() => again.locator('pre').textContent(), '"site": "north"')
    const dark = await site.open(page.url().slice(`${site.url}/dashboard/`.length), { dark: true, viewport: narrow })
    await dark.locator('.legend').getByText('south').waitFor()
    await look(t, dark, 'query-chart-narrow-dark')
  })

  await t.test('a drag over the chart chooses the time, which :from and :to stand for', async t => {
    const q = encodeURIComponent(
      'SELECT ts, avg(degrees) AS mean FROM weather WHERE ts >= :from AND ts < :to GROUP BY ts'
    )
    const page = await site.open(`query?q=${q}&view=chart&from=now-2h`)
    const plot = page.locator('.u-over')
    await plot.waitFor()
    const box = (await plot.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.6, box.y + 50)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.7, box.y + 60, { steps: 5 })
    await page.mouse.up()
    await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    // Until the new answer is there the old one stays.
    await page.waitForFunction(() => !document.querySelector('[role="status"]')?.textContent?.startsWith('600 '))
    const rows = Number.parseInt((await page.getByRole('status').textContent())!, 10)
    t.ok(rows < 600, `${rows} rows`)
  })

  await t.test('runs PromQL over tables', async t => {
    const page = await site.open(`query?lang=promql&q=${encodeURIComponent('avg by (site) (weather)')}&from=now-1h`)
    await page.locator('.legend').getByText('site="north"').waitFor()
    await page.getByRole('button', { name: 'Table' }).click()
    await page.locator('.grid').getByText('north').first().waitFor()
    await look(t, page, 'query-promql')
  })

  await t.test('completes names of tables and columns', async () => {
    const page = await site.open('query')
    await page.waitForLoadState('networkidle')
    await write(page, 'SQL statement', 'SELECT deg')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete').getByText('degrees').first().waitFor()
  })

  await t.test('says what is wrong, and cancels what takes long', async t => {
    const page = await site.open('query')
    await write(page, 'SQL statement', 'SELECT nothing FROM weather')
    await page.getByRole('button', { name: 'Run' }).click()
    await shows(t).match(() => page.getByRole('alert').textContent(), /nothing/)
    await look(t, page, 'query-error')
    await write(page, 'SQL statement', 'SELECT count(*) FROM range(100000000000)')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('Running for').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('Running for').waitFor({ state: 'detached' })
  })

  await t.test('downloads all rows in every form', async t => {
    const page = await site.open(`query?q=${encodeURIComponent('SELECT ts, site, degrees FROM weather ORDER BY ts')}`)
    await page.getByText('600 rows in').waitFor()
    const load = async (kind: string) => {
      await page.getByText('Download', { exact: true }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: kind, exact: true }).click()
      ])
      await page.getByText('Download', { exact: true }).click()
      return readFileSync(await download.path())
    }
    await shows(t).equal(async () => (await load('Csv')).toString().trim().split('\n').length, 601)
    await shows(t).match(async () => (await load('Json')).toString(), '"north"')
    await shows(t).equal(
      async () => (await load('Arrow')).subarray(0, 4).toString('hex'),
      'ffffffff',
      'an Arrow stream'
    )
    const file = await load('Parquet')
    const rows = await parquetReadObjects({
      file: file.buffer.slice(file.byteOffset, file.byteOffset + file.length) as ArrayBuffer,
      compressors
    })
    t.equal(rows.length, 600)
    t.match(rows[0], { ts: new Date(start), site: 'north', degrees: 15 })
  })

  await t.test('a link that would change something waits for the user', async t => {
    const page = await site.open(`query?q=${encodeURIComponent('DELETE FROM weather')}`)
    await page.getByLabel('SQL statement').getByText('DELETE').waitFor()
    await page.waitForLoadState('networkidle')
    await shows(t).equal(() => page.getByRole('status').count(), 0)
  })

  await t.test('keeps queries under names and the last ones as history', async t => {
    const page = await site.open('query')
    await write(page, 'SQL statement', 'SELECT 42 AS answer')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('1 row in').waitFor()
    await page.getByText('Saved', { exact: true }).click()
    await page.getByLabel('Name of this query').fill('the answer')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.goto(`${site.url}/dashboard/query`)
    await page.getByText('Saved', { exact: true }).first().click()
    await look(t, page, 'query-saved')
    await page.getByRole('button', { name: 'the answer', exact: true }).click()
    await page.locator('.grid').getByText('42').waitFor()
  })

  await t.test('times are written as times, in the zone one chooses, and whole in the view of a value', async t => {
    const q = `SELECT TIMESTAMP '2026-05-04 10:00:00.123456' AS at, DATE '2026-05-04' AS day, 2 AS n, '{"a": [1, 2]}' AS words
      UNION ALL SELECT TIMESTAMP '2026-01-04 10:00:00', NULL, 10, 'short' ORDER BY n`
    for (const dark of [false, true]) {
      const page = await site.open(`query?q=${encodeURIComponent(q)}`, { dark, timezoneId: 'Asia/Tokyo' })
      await page.getByText('2 rows in').waitFor()
      const cells = () => page.locator('.grid tbody td').allTextContents()
      await shows(t).same(async () => (await cells()).slice(0, 3), ['2026-05-04 19:00:00.123456', '2026-05-04', '2'])
      await page.getByRole('button', { name: /^Last hour/ }).click()
      await page.getByLabel('Time zone').selectOption('UTC')
      await shows(t).equal(async () => (await cells())[0], '2026-05-04 10:00:00.123456')
      await page.getByLabel('Time zone').selectOption('America/New_York')
      await shows(t).equal(async () => (await cells())[0], '2026-05-04 06:00:00.123456', 'summer')
      await shows(t).equal(async () => (await cells())[4], '2026-01-04 05:00:00', 'winter')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'JSON' }).click()
      await shows(t).match(() => page.getByLabel('JSON').textContent(), '"at": "2026-05-04T10:00:00.123456Z"')
      await page.getByRole('button', { name: 'Table' }).click()
      await page.getByRole('button', { name: 'n Int32' }).click()
      await page.getByRole('button', { name: 'n Int32' }).click()
      await shows(t).equal(async () => (await cells())[2], '10', 'numbers are sorted as numbers')
      await page.locator('.grid').getByText('"a"').click()
      await shows(t).match(
        () => page.getByRole('complementary', { name: 'words' }).textContent(),
        '[\n    1,\n    2\n  ]'
      )
      await look(t, page, `query-value-${dark ? 'dark' : 'light'}`)
    }
  })

  await t.test('the JSON of 2,000 series is there at once', async t => {
    const page = await site.open(`query?lang=promql&q=crowd&${then}&view=table`)
    const press = (name: string) =>
      page.evaluate(async name => {
        const began = performance.now()
        const button = [...document.querySelectorAll('button')].find(each => each.textContent === name)!
        button.click()
        await new Promise(resolve => requestAnimationFrame(() => setTimeout(resolve)))
        return performance.now() - began
      }, name)
    await page.locator('.grid tbody tr').first().waitFor()
    const series = await press('JSON')
    t.ok(series < 1500 * slowness(), `${Math.round(series)} ms for 2,000 series`)
    await shows(t).match(() => page.getByLabel('JSON').textContent(), '"metric"')
    await shows(t).ok(
      async () => (await page.getByLabel('JSON').textContent())!.length < 200_000,
      'only lines in sight are in the page'
    )
    const many = encodeURIComponent(
      'SELECT i AS n, repeat(chr(65 + (i % 26)::INT), 200) AS words FROM range(10000) r(i)'
    )
    await page.goto(`${site.url}/dashboard/query?q=${many}`)
    await page.getByText('10,000 rows in').waitFor()
    const took = await press('JSON')
    t.ok(took < 1500 * slowness(), `${Math.round(took)} ms`)
    await shows(t).ok(
      async () => (await page.getByLabel('JSON').textContent())!.length < 100_000,
      'only lines in sight are in the page'
    )
  })

  await t.test('text stays in its tab, and errors are marked at their position', async t => {
    const page = await site.open('query')
    await write(page, 'SQL statement', 'SELECT degrees, nowhere FROM weather')
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('alert').waitFor()
    await shows(t).equal(() => page.locator('.cm-wrong').textContent(), 'nowhere')
    await page.getByRole('button', { name: 'New query' }).click()
    await shows(t).equal(() => page.getByRole('alert').count(), 0)
    await write(page, 'SQL statement', 'SELECT 7 AS seven')
    await page.getByRole('link', { name: 'Tables' }).click()
    await page.getByRole('link', { name: 'Query', exact: true }).click()
    await page.locator('.cm-content').getByText('seven').waitFor()
    await page.getByRole('button', { name: /^SELECT degrees, nowhere/ }).click()
    await page.locator('.cm-content').getByText('nowhere').waitFor()
    await look(t, page, 'query-tabs')
    await page.getByRole('button', { name: 'Close query 1' }).click()
    await page.locator('.cm-content').getByText('seven').waitFor()
  })

  await t.test('goes through many rows page by page, says what is in columns, shows one moment of PromQL', async t => {
    const q = encodeURIComponent('SELECT i AS n, i % 3 AS third FROM range(25000) r(i)')
    const page = await site.open(`query?q=${q}`)
    await page.getByText('rows 1 to 10,000').waitFor()
    await page.getByRole('button', { name: 'Next rows' }).click()
    await page.getByText('rows 10,001 to 20,000').waitFor()
    await shows(t).equal(() => page.locator('.grid tbody td').first().textContent(), '10000')
    await page.getByRole('button', { name: 'Next rows' }).click()
    await page.getByText('rows 20,001 to 25,000').waitFor()
    await shows(t).ok(() => page.getByRole('button', { name: 'Next rows' }).isDisabled())
    await page.getByRole('button', { name: 'Columns' }).click()
    // Of all rows, of which the page has a few.
    await page.getByText('Of all 25,000 rows.').waitFor()
    t.match(
      await page.getByLabel('Column third').textContent(),
      /Int\d*3 different, from 0 to 2, average 1, median 1.*08,334/
    )
    await shows(t).match(
      () => page.getByLabel('Column n').textContent(),
      /Int\d*25,000 different, from 0 to 24999, average 12.5k/
    )
    await look(t, page, 'query-columns')
    const moment = await site.open(
      `query?lang=promql&q=${encodeURIComponent('avg by (site) (weather)')}&at=instant&${then}`
    )
    await moment.getByText('rows in').waitFor()
    await shows(t).same(
      () => moment.locator('.grid th').allTextContents(),
      ['time TimestampMillisecond', 'site 2 values', 'value Float64'].map(each => each.replace(' ', ' '))
    )
  })

  await t.test('of too many values to count no more are different than there are', async t => {
    const q = encodeURIComponent('SELECT i AS n, i + 1 AS m, i % 7 AS week FROM range(1000000) r(i)')
    const page = await site.open(`query?q=${q}`)
    await page.getByText('rows 1 to 10,000').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    for (const name of ['n', 'm']) {
      const words = (await page.getByLabel(`Column ${name}`, { exact: true }).textContent())!
      const different = Number(/some ([\d,]+) different/.exec(words)?.[1]?.replaceAll(',', ''))
      t.ok(different > 800_000 && different <= 1_000_000, words)
    }
  })

  await t.test('a million rows are read once, and only a page of them is held', async t => {
    const page = await site.open('query')
    const sent = watchSql(page)
    const words = "repeat('x', 40) || i AS words"
    await write(page, 'SQL statement', `-- all of them\nSELECT i AS n, ${words} FROM range(2000000) r(i)`)
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('rows 1 to 10,000 of').waitFor()
    await page.getByText('of 1,000,000 that are kept here; a download has all').waitFor()
    await shows(t).match(async () => (await runningOn(site.url)).join(), /^((?!range).)*$/, 'the statement has ended')
    await page.getByRole('spinbutton', { name: 'Page of 100' }).fill('100')
    await page.keyboard.press('Enter')
    await page.getByText('rows 990,001 to 1,000,000').waitFor()
    await shows(t).equal(() => page.locator('.grid tbody td').first().textContent(), '990000')
    t.ok(await page.getByRole('button', { name: 'Next rows' }).isDisabled())
    await look(t, page, 'query-million')
    await page.getByRole('button', { name: 'Rows before' }).click()
    await page.getByText('rows 980,001 to 990,000').waitFor()
    await page.goBack()
    await page.getByText('rows 990,001 to 1,000,000').waitFor()
    t.equal(sent.filter(each => each.get('sql')?.includes('range(2000000)')).length, 1, 'it ran once')
    const session = await page.context().newCDPSession(page)
    await session.send('HeapProfiler.collectGarbage')
    const { usedSize } = await session.send('Runtime.getHeapUsage')
    t.ok(usedSize < 60 * 2 ** 20, `${Math.round(usedSize / 2 ** 20)} MiB of the page's memory`)
  })

  await t.test('a clock reads the first page alone', async t => {
    const page = await site.open('query')
    const sent = watchSql(page)
    await page.goto(
      `${site.url}/dashboard/query?refresh=5s&q=${encodeURIComponent('SELECT i FROM range(300000) r(i)')}`
    )
    await page.getByText('rows 1 to 10,000 of 10,000 that are kept here').waitFor()
    await shows(t).ok(() => sent.filter(each => each.get('limit') === '10001').length > 1, 'it was loaded anew')
    t.equal(await page.getByRole('button', { name: 'Next rows' }).count(), 0)
  })

  await t.test('rows that are still to come are given up with Stop, on leaving, and when the server fails', async t => {
    const page = await site.open(`query?q=${encodeURIComponent('SELECT i, hash(i) FROM range(900000) r(i)')}&page=1`)
    await page.getByText('rows 10,001 to 20,000').waitFor()
    const endless =
      'SELECT r.i, s.i AS j FROM range(1000000000) r(i), range(2) s(i) WHERE (r.i < 20000 OR r.i % 300000000 = 7)'
    await write(page, 'SQL statement', endless)
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('and more to come').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('that had come').waitFor()
    await shows(t).match(async () => (await runningOn(site.url)).join(), /^((?!1000000000).)*$/)
    // So far behind the first rows that these are sent before the engine, which works ahead, meets it.
    const failing = "SELECT CASE WHEN i < 800000 THEN i ELSE ('x' || i)::BIGINT END FROM range(900000) r(i)"
    await write(page, 'SQL statement', failing)
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByText('The answer broke off').waitFor()
    await shows(t).match(() => page.getByRole('status').first().textContent(), 'rows 1 to 10,000')
    await look(t, page, 'query-broken-off')
  })

  await t.test('the chosen time is a value beside the statement, in all that is asked of it', async t => {
    const text = "SELECT ts, ':from' AS word, degrees FROM weather WHERE ts >= :from AND ts < :to /* :to */ ORDER BY ts"
    const page = await site.open('query')
    const sent = watchSql(page)
    await page.goto(`${site.url}/dashboard/query?q=${encodeURIComponent(text)}&${then}`)
    await page.getByText('600 rows in').waitFor()
    const filled =
      "SELECT ts, ':from' AS word, degrees FROM weather WHERE ts >= $from AND ts < $to /* :to */ ORDER BY ts"
    const asked = sent.find(each => each.get('sql') === filled)
    const [from, to] = [start, start + 3_600_000].map(at => new Date(at).toISOString())
    t.same(JSON.parse(asked?.get('params') ?? 'null'), { from, to })
    await page.getByRole('button', { name: 'Plan' }).click()
    await page.getByLabel('Plan', { exact: true }).locator('.plan li').first().waitFor()
    await page.getByText('Download', { exact: true }).click()
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Csv', exact: true }).click()
    ])
    t.equal(
      readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\n').length,
      601
    )
    t.notOk(
      sent.some(each => each.get('sql')?.includes(from!)),
      'no text has the time'
    )
    const many = 'SELECT i, :from AS began FROM range(12000) r(i) ORDER BY i'
    await page.goto(`${site.url}/dashboard/query?q=${encodeURIComponent(many)}&${then}&page=1`)
    await page.getByText('rows 10,001 to 12,000').waitFor()
    await page.getByRole('button', { name: 'Columns' }).click()
    await shows(t).match(() => page.getByLabel('Column began').textContent(), /1 different/)
  })

  await t.test('annotations are lines in the chart of an answer, too', async t => {
    for (const q of [
      'lang=promql&q=weather',
      `q=${encodeURIComponent('SELECT ts, degrees FROM weather ORDER BY ts')}`
    ]) {
      const page = await site.open(`query?${q}&view=chart&${then}`)
      await page.locator('.legend li').first().waitFor()
      await page.getByRole('button', { name: 'Annotations' }).click()
      await page.getByLabel('Where this expression').fill('weather{site="north"} > 19.9')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: /^[1-9]\d* annotations?$/ }).waitFor()
      await page.keyboard.press('Escape')
      const box = (await page.locator('.plot').first().boundingBox())!
      const mark = page.locator('.tooltip .mark')
      for (let x = box.width - 1; x > 0 && (await mark.count()) === 0; x -= 3)
        await page.mouse.move(box.x + x, box.y + 30)
      await shows(t).match(() => mark.first().textContent(), /north/)
    }
  })

  await t.test('lines called as levels have the colours of levels', async t => {
    const q = `SELECT TIMESTAMP '2026-05-04 10:00:00' + INTERVAL (i // 4) MINUTE AS at, ['DEBUG', 'ERROR', 'INFO', 'WARN'][i % 4 + 1] AS level, i AS n FROM range(40) r(i)`
    for (const dark of [false, true]) {
      const page = await site.open(`query?q=${encodeURIComponent(q)}&view=chart`, { dark })
      await page.locator('.legend li').nth(3).waitFor()
      const colours = await page
        .locator('.legend li')
        .evaluateAll(all =>
          Object.fromEntries(
            all.map(each => [
              each.querySelector('.name')!.textContent,
              getComputedStyle(each.querySelector('.swatch')!).backgroundColor
            ])
          )
        )
      t.equal(colours['ERROR'], dark ? 'rgb(255, 138, 128)' : 'rgb(179, 38, 30)')
      t.equal(new Set(Object.values(colours)).size, 4)
      await shows(t).ok(
        async () => (await drawnTexts(page, 'Result')).some(({ text }) => text === '0'),
        'zero has no prefix'
      )
    }
  })

  await t.test('an expression tells its parts with the series each has', async t => {
    const q = encodeURIComponent('sum(rate(weather{site="north"}[5m])) / on() max(weather) > 1')
    const page = await site.open(`query?lang=promql&q=${q}&view=parts&${then}`)
    const parts = page.getByLabel('Parts of the expression').locator('li')
    await parts.getByText('weather{site="north"}[5m]', { exact: true }).waitFor()
    await shows(t).strictSame(
      () => parts.allTextContents(),
      [
        'sum(rate(weather{site="north"}[5m])) / on() max(weather) > 1 0 series',
        'sum(rate(weather{site="north"}[5m])) / on() max(weather) 1 series',
        'sum(rate(weather{site="north"}[5m])) 1 series',
        'rate(weather{site="north"}[5m]) 1 series',
        'weather{site="north"}[5m] 1 series',
        'max(weather) 1 series',
        'weather 2 series'
      ]
    )
    await look(t, page, 'query-parts')
  })

  await t.test('the plan of a statement is a tree with rows and times', async t => {
    const q = encodeURIComponent('SELECT site, avg(degrees) FROM weather GROUP BY site')
    const page = await site.open(`query?q=${q}`)
    await page.getByRole('button', { name: 'Plan' }).click()
    const steps = page.getByLabel('Plan', { exact: true }).locator('.plan').first().locator('li')
    await steps.nth(1).waitFor()
    await shows(t).match(() => steps.allTextContents(), [/.*[\d,]+ rows?[\d.]+ (µs|ms)$/])
    await shows(t).ok(async () => (await steps.locator('meter').count()) >= 2)
    const indents = await steps.evaluateAll(all =>
      all.map(each => Number.parseFloat(getComputedStyle(each).paddingLeft))
    )
    t.ok(indents.at(-1)! > indents[0]!, 'what gives rows to another step stands below it')
    await look(t, page, 'query-plan')
    const dark = await site.open(page.url().slice(`${site.url}/dashboard/`.length), { dark: true, viewport: narrow })
    await dark.locator('.plan li').nth(1).waitFor()
    await look(t, dark, 'query-plan-narrow-dark')
    const insert = await site.open(`query?q=${encodeURIComponent('SHOW TABLES')}&view=plan`)
    await insert.getByText('2 rows in').waitFor()
    await shows(t).equal(() => insert.getByRole('button', { name: 'Plan' }).count(), 0)
  })

  await t.test('a chart is drawn of the columns one picks', async t => {
    const q = encodeURIComponent(
      "SELECT ts, site, degrees, degrees * 2 AS twice, ts + INTERVAL '1 day' AS later FROM weather ORDER BY ts"
    )
    const page = await site.open(`query?q=${q}&view=chart`)
    const lines = page.locator('.legend li')
    await lines.nth(3).waitFor()
    await page.getByRole('button', { name: /^Lines degrees/ }).click()
    await page.getByRole('checkbox', { name: 'degrees' }).uncheck()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: /^One for each/ }).click()
    await page.getByRole('checkbox', { name: 'site' }).uncheck()
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => document.querySelectorAll('.legend li').length === 1)
    await shows(t).match(() => lines.first().textContent(), /^twice/)
    await page.locator('.card select').selectOption('later')
    const again = await site.open(page.url().slice(`${site.url}/dashboard/`.length))
    await again.locator('.legend li').first().waitFor()
    await shows(t).match(() => again.locator('.legend li').allTextContents(), [/^twice/])
    await look(t, again, 'query-picked')
  })
})
