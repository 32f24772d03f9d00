import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { needing } from '../../programs.ts'
import { began, shop, traceId } from '../jaeger/spans.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'
import { encodeTraces } from '../telemetry/traces/encode.ts'
import { look, narrow, openSite, runSql, shows } from './browser.ts'

/** A trace of many services, one of which fails under a long name. */
const crowdId = '00000000000000000000000000000abc'
const crowd = Array.from({ length: 14 }, (_, i) => ({
  attributes: [['service.name', `service-${i}`]] as [string, string][],
  scopes: [
    {
      name: 'lib',
      spans: [
        {
          traceId: crowdId,
          spanId: `00000000000000${(16 + i).toString(16)}`,
          name:
            i === 3 ? 'an operation whose name is far longer than there is room for it in the list of spans' : 'work',
          kind: 2,
          start: began + 3_600_000_000_000n,
          end: began + 3_600_000_000_000n + BigInt(1 + i) * 1_000_000n,
          status: { code: i === 3 ? 2 : 1 }
        }
      ]
    }
  ]
}))

async function sendTraces(url: string, resources: Parameters<typeof encodeTraces>[0]): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: Buffer.from(encodeTraces(resources))
  })
  if (!response.ok) throw new Error(await response.text())
}

/** Metrics of two services, each called by another label, and an exemplar of the trace. */
async function sendMetrics(url: string): Promise<void> {
  const at = Number(began / 1_000_000n)
  const samples = (share: number) =>
    Array.from({ length: 40 }, (_, i) => [at + (i - 20) * 15_000, Math.round(i * share)] as const)
  const series: TestSeries[] = []
  for (const name of ['zone_seconds_bucket', 'http_server_duration_seconds_bucket'])
    for (const [le, share] of [
      ['0.1', 5],
      ['+Inf', 10]
    ] as const)
      series.push({ labels: { __name__: name, service_name: 'frontend', le }, samples: samples(share) })
  series.push({ labels: { __name__: 'items_total', job: 'shop/cart' }, samples: samples(3) })
  series.push({ labels: { __name__: 'items_total', job: 'other' }, samples: samples(3) })
  series.push({
    labels: { __name__: 'zone_seconds_bucket', service_name: 'frontend', le: '+Inf' },
    exemplars: [{ labels: { trace_id: traceId }, value: 0.9, time: at }]
  })
  const response = await fetch(`${url}/v1/metricsys/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    body: Buffer.from(encodeSnappy(writeV1(series)))
  })
  if (!response.ok) throw new Error(await response.text())
}

async function fill(url: string): Promise<void> {
  await sendTraces(url, [...shop, ...crowd])
  await sendMetrics(url)
  const at = Number(began / 1_000_000n)
  for (const table of ['aaa', 'lines']) {
    await runSql(
      url,
      `CREATE TABLE ${table} (at TIMESTAMP(3) TIME INDEX, message STRING, trace_id STRING, span_id STRING)`
    )
    await runSql(url, `INSERT INTO ${table} VALUES (${at}, 'one of another trace', 'ffff', 'ff')`)
  }
  await runSql(url, `INSERT INTO lines VALUES (${at + 1}, 'put into the cart', '${traceId}', '0000000000000001')`)
}

const then = 'from=2023-11-14T22:00:00Z&to=2023-11-14T23:00:00Z'

t.test('the page of traces', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('finds traces by service, operation, tags and duration', async t => {
    const page = await site.open(`traces?service=frontend&${then}`)
    const list = page.getByRole('list', { name: 'Traces found' })
    await list.getByText('frontend: GET /cart').waitFor()
    await shows(t).equal(() => list.getByRole('listitem').count(), 2)
    await look(t, page, 'traces-search')
    await page.getByLabel('At least').fill('500ms')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 trace, the longest').waitFor()
    await page.getByLabel('Tags').fill('http.request.method=GET user.id=9007199254740993')
    await page.keyboard.press('Enter')
    await page.getByText('1 trace, the longest').waitFor()
    await page.getByLabel('At most').fill('soon')
    await page.keyboard.press('Enter')
    await shows(t).match(
      () => page.getByRole('alert').textContent(),
      /^unable to parse param 'minDuration|^unable to parse param 'maxDuration.*soon/
    )
  })

  await t.test('shows a trace as a waterfall and everything of a span', async t => {
    const page = await site.open(`traces?service=frontend&${then}`)
    await page.locator('.trace-list').getByText('frontend: GET /cart').click()
    await page.getByRole('button', { name: 'frontend GET /cart' }).waitFor()
    await shows(t).equal(() => page.locator('.waterfall .row').count(), 3)
    for (const row of await page.locator('.waterfall .row').all()) {
      const bar = (await row.locator('.length').boundingBox())!
      const words = (await row.locator('.took').boundingBox())!
      const isBeside = Math.abs(words.x - bar.x) < 2 || Math.abs(words.x + words.width - bar.x - bar.width) < 4
      t.ok(isBeside && words.y >= bar.y + bar.height, 'its time stands below the bar, where that begins or ends')
    }
    await look(t, page, 'trace')
    await page.getByRole('button', { name: 'Close call cart' }).click()
    await shows(t).equal(() => page.locator('.waterfall .row').count(), 2)
    await page.getByRole('button', { name: 'Open all' }).click()
    await page.getByLabel('Search in this trace').fill('oops')
    await page.getByText('1 span', { exact: true }).waitFor()
    await shows(t).equal(() => page.locator('.waterfall .row.dim').count(), 2)
    await page.getByRole('button', { name: 'frontend GET /cart' }).click()
    const details = page.getByRole('complementary', { name: 'GET /cart' })
    await details.getByText('exception.type').waitFor()
    await shows(t).match(() => details.textContent(), /user\.id9007199254740993/)
    await look(t, page, 'trace-span')
    const again = await site.open(page.url().slice(`${site.url}/dashboard/`.length), { viewport: narrow, dark: true })
    await again.getByRole('complementary', { name: 'GET /cart' }).getByText('it broke').waitFor()
    await again.keyboard.press('Escape')
    await look(t, again, 'trace-narrow-dark')
    await again.getByRole('button', { name: 'cart Get' }).click()
    await again.getByRole('link', { name: '0000000000000001' }).click()
    await again.getByRole('heading', { name: 'Trace' }).waitFor()
    await again.waitForFunction(id => !location.search.includes(id), traceId)
  })

  await t.test('says so when there is none', async t => {
    const page = await site.open('traces?trace=00000000000000000000000000000001')
    await page.getByText('There is no trace').waitFor()
    t.pass()
  })

  for (const dark of [false, true]) {
    await t.test(`each service has its colour, and what failed is seen, ${dark ? 'dark' : 'light'}`, async t => {
      const page = await site.open(`traces?trace=${crowdId}`, { dark })
      const rows = page.locator('.waterfall .row')
      await rows.nth(13).waitFor()
      const colours = await rows
        .locator('.swatch')
        .evaluateAll(all => all.map(each => getComputedStyle(each).backgroundColor))
      t.equal(new Set(colours).size, 14, 'no two services share one')
      const mark = page.locator('.waterfall .mark')
      await shows(t).equal(() => mark.count(), 1)
      const [name, box] = [
        await page
          .locator('.row', { has: page.locator('.mark') })
          .locator('.name')
          .boundingBox(),
        await mark.boundingBox()
      ]
      t.ok(box!.width > 20 && box!.x + box!.width <= name!.x + name!.width, 'the mark is whole and in its column')
      await look(t, page, `trace-crowd-${dark ? 'dark' : 'light'}`)
    })
  }

  await t.test('logs of a trace are those of the table that has them; going back shows the search again', async t => {
    const page = await site.open(`traces?service=frontend&min=500ms&${then}`)
    await page.locator('.trace-list').getByText('frontend: GET /cart').click()
    await page.getByRole('button', { name: 'frontend GET /cart' }).waitFor()
    await page.getByRole('link', { name: 'Logs of it' }).click()
    await page.getByRole('button', { name: /put into the cart/ }).waitFor()
    await shows(t).equal(() => page.getByLabel('Table').inputValue(), 'lines')
    await shows(t).equal(() => page.getByText('one of another trace').count(), 0)
    await page.goBack()
    await page.getByRole('link', { name: 'Search' }).click()
    await page.getByText('1 trace, the longest').waitFor()
    await shows(t).equal(() => page.getByLabel('At least').inputValue(), '500ms')
    await shows(t).match(() => Object.fromEntries(new URL(page.url()).searchParams), {
      from: '2023-11-14T22:00:00Z',
      service: 'frontend'
    })
    const none = await site.open(`logs?trace=${crowdId}&${then}`)
    await none.getByText('has lines of the trace').waitFor()
  })

  await t.test('traces as dots of time and duration, services that call each other, and their operations', async t => {
    const page = await site.open(`traces?service=frontend&${then}`)
    const dots = page.getByLabel('Durations')
    await dots.getByRole('link').nth(1).waitFor()
    await shows(t).equal(() => dots.getByRole('link').count(), 2)
    const heights = await dots.locator('circle').evaluateAll(all => all.map(each => Number(each.getAttribute('cy'))))
    t.equal(new Set(heights).size, 2, 'the longer one is higher')
    await dots.getByRole('link', { name: /GET \/cart/ }).click()
    await page.getByRole('heading', { name: 'Trace' }).waitFor()
    await page.goBack()
    await page.getByRole('button', { name: 'Service map' }).click()
    const map = page.getByLabel('Service map', { exact: true })
    await map.locator('.name', { hasText: 'cart' }).waitFor()
    await shows(t).same(() => map.locator('.name').allTextContents(), ['frontend', 'cart'])
    t.match(
      await map.locator('.service-node').first().textContent(),
      /\d\/(s|min|h|day), \d+(\.\d)? % failp50 .*s, p95 .*s$/
    )
    await shows(t).match(
      () => map.locator('.call title').allTextContents(),
      [/^frontend calls cart 1 time, p95 [\d.]+ m?s$/]
    )
    await shows(t).match(() => map.locator('.figures').allTextContents(), [/^\d+\/(min|h|day)$/, /^p95 [\d.]+ m?s$/])
    await look(t, page, 'traces-map')
    await page.getByRole('button', { name: 'Operations' }).click()
    await page.getByLabel('Operations').getByText('GET /cart').waitFor()
    await look(t, page, 'traces-operations')
    await page.getByRole('button', { name: 'Service map' }).click()
    await map.getByRole('link').filter({ hasText: 'cart' }).click()
    await page.waitForURL(/service=cart/)
    const dark = await site.open(`traces?view=map&${then}`, { dark: true, viewport: narrow })
    await dark.locator('.service-node').nth(1).waitFor()
    await look(t, dark, 'traces-map-narrow-dark')
  })

  await t.test('a span leads to the metrics of its service at that time, that of an exemplar first', async t => {
    const page = await site.open(`traces?trace=${traceId}`)
    await page.getByRole('button', { name: 'frontend GET /cart' }).click()
    await page.getByRole('complementary').getByRole('link', { name: 'Metrics of frontend' }).click()
    await page.waitForURL(/dashboard\/metrics/)
    await shows(t).same(
      () => new URL(page.url()).searchParams.get('panels')?.split('\n'),
      ['zone_seconds_bucket', 'http_server_duration_seconds_bucket'].map(
        name => `histogram_quantile(0.95, sum by (le)(rate(${name}{service_name="frontend"}[5m])))`
      )
    )
    await shows(t).match(() => Object.fromEntries(new URL(page.url()).searchParams), {
      from: '2023-11-14T22:03:20.000Z',
      to: '2023-11-14T22:23:20.900Z'
    })
    await page.getByLabel('Panel 2').locator('.legend li').first().waitFor()
    await page
      .getByLabel('Panel 1')
      .getByRole('link', { name: /^Trace of 900 ms/ })
      .waitFor()
    await page.goto(`${site.url}/dashboard/traces?trace=${traceId}&span=00f067aa0ba902b9`)
    await page.getByRole('link', { name: 'Metrics of cart' }).click()
    await page.waitForURL(/dashboard\/metrics/)
    await shows(t).equal(
      () => new URL(page.url()).searchParams.get('panels'),
      'sum(rate(items_total{job=~"(.*/)?cart"}[5m]))'
    )
    await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
    const none = await site.open(`traces?trace=${crowdId}&span=0000000000000010`)
    await none.getByText('no metrics of service-0').waitFor()
  })

  await t.test('times of traces are those of the zone, in the list, on axes and in the trace', async t => {
    const page = await site.open(`traces?service=frontend&${then}`, { timezoneId: 'Asia/Tokyo' })
    const found = page.getByRole('list', { name: 'Traces found' }).getByRole('listitem')
    await shows(t).match(() => found.last().textContent(), '2023-11-15 07:13:20')
    const words = page.getByLabel('Durations').locator('svg > text')
    await shows(t).ok(async () => (await words.count()) > 3)
    const axis = await words.allTextContents()
    t.strictSame(axis.slice(0, 3), ['07:00', '2023-11-15', '07:10'])
    await page
      .getByLabel('Durations')
      .getByRole('link', { name: /GET \/cart, 2023-11-15 07:13:20/ })
      .waitFor()
    await found.last().getByRole('link').click()
    await page.getByText(/^2023-11-15 07:13:20, 900 ms/).waitFor()
    await page.getByRole('button', { name: 'frontend GET /cart' }).click()
    await shows(t).match(() => page.getByRole('complementary').textContent(), '2023-11-15 07:13:20')
  })

  await t.test('dots are the traces of the whole time, at round times, a sample where there are many', async t => {
    const hours = 6
    const count = 5_000
    const spans = Array.from({ length: count }, (_, i) => {
      // Digits as random ones have them.
      const traceId = ((BigInt(i) * 0x9e3779b97f4a7c15n) % 2n ** 64n).toString(16).padStart(32, '0')
      const start = began + BigInt(Math.floor((i * hours * 3600_000) / count)) * 1_000_000n
      const long = i === 7 ? 90_000n : BigInt(10 + (i % 50))
      return { traceId, spanId: traceId.slice(16), name: 'ask', kind: 2, start, end: start + long * 1_000_000n }
    })
    const attributes = [['service.name', 'busy']] as [string, string][]
    await sendTraces(site.url, [{ attributes, scopes: [{ name: 'lib', spans }] }])
    const day = 'from=2023-11-14T22:00:00Z&to=2023-11-15T05:00:00Z'
    const page = await site.open(`traces?service=busy&${day}`)
    const dots = page.getByLabel('Durations')
    const words = dots.locator('p')
    await shows(t).match(() => words.textContent(), /^[\d,]+ traces of some [\d,]+: a sample, and the longest ones\.$/)
    const [shown, all] = (await words.textContent())!.match(/[\d,]+/g)!.map(each => Number(each.replace(',', '')))
    t.ok(shown! > 1_500 && shown! < 2_500, `${shown} dots`)
    t.ok(all! > 4_000 && all! < 6_000, `of ${all}`)
    const places = await dots.locator('circle').evaluateAll(all => all.map(each => Number(each.getAttribute('cx'))))
    const width = await dots.locator('svg').evaluate(each => each.clientWidth)
    t.ok(Math.max(...places) - Math.min(...places) > width * 0.7, 'they are of the whole time')
    await dots.getByRole('link', { name: /1 min 30 s/ }).waitFor()
    const axis = await dots.locator('svg > text').allTextContents()
    const clocks = axis.filter(word => word.includes(':'))
    t.ok(clocks.length > 3 && clocks.every(word => /^\d\d:[03]0$/.test(word)), axis.join())
    t.ok(axis.includes('2023-11-15'), 'the new day is said')
    t.equal(await dots.locator('a:not([tabindex="-1"])').count(), 20, 'those of the list are for the keyboard')
    await look(t, page, 'traces-many')
    const heightOf = (name: RegExp) =>
      dots
        .getByRole('link', { name })
        .first()
        .locator('circle')
        .evaluate(each => Number(each.getAttribute('cy')))
    const fromBelow = async (name: RegExp) => (166 - (await heightOf(name))) / 156
    t.ok((await fromBelow(/, 50 ms$/)) < 0.01, 'nothing is seen of what is usual beside the longest')
    await dots.getByLabel('Logarithmic').check()
    await shows(t).strictSame(
      () => dots.locator('svg > g > text').allTextContents(),
      ['10 ms', '100 ms', '1 s', '10 s', '1 min 40 s']
    )
    const [least, more, most] = [
      await fromBelow(/, 10 ms$/),
      await fromBelow(/, 50 ms$/),
      await fromBelow(/1 min 30 s$/)
    ]
    t.ok(least < 0.01 && Math.abs(more - Math.log10(5) / 4) < 0.01 && Math.abs(most - Math.log10(9_000) / 4) < 0.01)
    await look(t, page, 'traces-many-log')
    await page.reload()
    await shows(t).ok(() => dots.getByLabel('Logarithmic').isChecked(), 'the address says so')
    await dots.getByRole('link', { name: /1 min 30 s/ }).click()
    await page.getByRole('heading', { name: 'Trace' }).waitFor()
    await page.goBack()
    await shows(t).ok(() => dots.getByLabel('Logarithmic').isChecked())
    await page.goto(`${site.url}/dashboard/traces?service=busy&min=1s&${day}&axis=log`)
    await shows(t).equal(() => words.textContent(), 'All of this time: 1 trace.')
    await shows(t).strictSame(
      () => dots.locator('svg > g > text').allTextContents(),
      ['10 s', '20 s', '50 s', '1 min 40 s']
    )
    const dark = await site.open(`traces?service=busy&${day}`, { dark: true, viewport: narrow })
    await dark.getByLabel('Durations').getByText('a sample').waitFor()
    await look(t, dark, 'traces-many-narrow-dark')
  })

  await t.test('two traces are compared by their operations', async t => {
    const page = await site.open(`traces?trace=${crowdId}`, { viewport: { width: 1440, height: 900 } })
    await page.getByLabel('Trace to compare with').fill(traceId)
    await page.getByRole('button', { name: 'Compare' }).click()
    const rows = page.getByLabel('Operations of both').locator('tbody tr')
    await rows.nth(3).waitFor()
    await shows(t).match(() => page.url(), `with=${traceId}`)
    const cells = await rows.first().locator('td').allTextContents()
    t.strictSame(cells.slice(0, 4), ['frontend', 'GET /cart', '0', '1'], 'the largest difference first')
    t.equal(cells[4], '0')
    t.equal(cells[5], cells[6], 'all of it is longer there')
    await look(t, page, 'traces-compare')
    await page.getByRole('button', { name: 'End the comparison' }).click()
    await page.getByLabel('Comparison').waitFor({ state: 'detached' })
  })

  await t.test('a span leads to its own lines', async () => {
    const page = await site.open(`logs?trace=${traceId}&span=0000000000000001&${then}`)
    await page.getByText('put into the cart').first().waitFor()
    await page.waitForFunction(() => /span_id/.test(decodeURIComponent(location.search)))
    const none = await site.open(`logs?trace=${traceId}&span=0000000000000002&${then}`)
    await none.getByText('has lines of the span').waitFor()
    const trace = await site.open(`traces?trace=${traceId}`)
    await trace.getByRole('button', { name: 'frontend GET /cart' }).click()
    await trace.getByRole('complementary').getByRole('link', { name: 'Logs of it' }).click()
    await trace.waitForURL(/dashboard\/logs/)
  })
})
