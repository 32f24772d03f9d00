import { readFileSync } from 'node:fs'
import t from 'tap'
import { encodeSnappy } from '../../../core/wire/index.ts'
import { needing } from '../../programs.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'
import { integers } from '../metricsys/native.ts'
import { canvasWidth, drawnTexts, look, narrow, openSite, shows, until, write } from './browser.ts'

const step = 15_000
const count = 240
const quantile = 'histogram_quantile(0.95, sum by (le) (rate(request_seconds_bucket[5m])))'

function samples(now: number, value: (i: number) => number): [number, number][] {
  return Array.from({ length: count }, (_, i) => [now - (count - i) * step, value(i)])
}

async function fill(url: string): Promise<void> {
  const now = Date.now()
  const series: TestSeries[] = []
  for (const job of ['api', 'web', 'batch']) {
    for (const code of ['200', '500']) {
      const labels = { __name__: 'http_requests_total', job, code }
      series.push({ labels, samples: samples(now, i => i * (code === '200' ? 30 : 2)) })
    }
    series.push({ labels: { __name__: 'queue_length', job }, samples: samples(now, i => 20 + 10 * Math.sin(i / 20)) })
    for (const [le, share] of [
      ['0.1', 0.5],
      ['1', 0.9],
      ['+Inf', 1]
    ] as const) {
      const labels = { __name__: 'request_seconds_bucket', job, le }
      series.push({ labels, samples: samples(now, i => Math.round(i * 10 * share)) })
    }
  }
  for (const job of ['api', 'web']) {
    const base = job === 'api' ? 5e8 : 7e8
    series.push({
      labels: { __name__: 'process_resident_memory_bytes', job },
      samples: samples(now, i => base + i * 1e5)
    })
    series.push({ labels: { __name__: 'drift', job }, samples: samples(now, i => 1e-7 * (2 + Math.sin(i / 20))) })
  }
  for (let i = 0; i < 600; i++) {
    series.push({
      labels: { __name__: 'many', n: String(i) },
      samples: [
        [now - 30_000, i],
        [now - 15_000, i]
      ]
    })
  }
  series.push({
    labels: { __name__: 'request_seconds_bucket', job: 'api', le: '1' },
    exemplars: [{ labels: { trace_id: '0af7651916cd43dd8448eb211c80319c' }, value: 0.42, time: now - 60_000 }]
  })
  series.push({
    labels: { __name__: 'native_seconds', job: 'api' },
    // Buckets of schema 0, whose bounds double: each time more of 0.25 to 0.5, of 0.5 to 1 and, behind a gap, of 2 to 4 seconds.
    histograms: Array.from({ length: count }, (_, i) => {
      const spans = [
        [-1, 2],
        [1, 1]
      ] as const
      const time = now - (count - i) * step
      return integers({ schema: 0, count: 7 * i, sum: 5 * i, zero: i, spans, deltas: [i, 2 * i, -i], time })
    })
  })
  const about = [
    { metric: 'http_requests_total', type: 1, help: 'Requests answered.' },
    { metric: 'queue_length', type: 2, help: 'Things that wait.' }
  ]
  const body = encodeSnappy(writeV1(series, about))
  const response = await fetch(`${url}/v1/metricsys/write`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf', 'content-encoding': 'snappy' },
    body: Buffer.from(body)
  })
  if (!response.ok) throw new Error(await response.text())
}

t.test('the page of metrics', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('a metric tells its labels and becomes panels with one click', async t => {
    const page = await site.open('metrics')
    await page.getByLabel('Search metrics').fill('answered')
    await page.getByText('1 of', { exact: false }).waitFor()
    await page.getByRole('button', { name: /http_requests_total/ }).click()
    await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
    await shows(t).equal(() => page.getByLabel('Expression 1').textContent(), 'sum(rate(http_requests_total[5m]))')
    await page.getByRole('button', { name: 'job 3' }).click()
    await page.getByRole('button', { name: 'Sum by job' }).click()
    await page.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
    await page.getByLabel('Values of job').getByRole('button', { name: 'web' }).click()
    await page.getByLabel('Panel 3').locator('.legend li').nth(1).waitFor()
    await look(t, page, 'metrics')
    await page.getByLabel('Panel 3').getByRole('button', { name: 'Up' }).click()
    await page.getByLabel('Expression 2').getByText('web').waitFor()
    await page.getByLabel('Panel 2').getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Panel 3').waitFor({ state: 'detached' })
    const again = await site.open(page.url().slice(`${site.url}/dashboard/`.length))
    await again.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
    await shows(t).match(() => again.getByLabel('Expression 2').textContent(), 'sum by (job)')
  })

  await t.test('histograms are shown as quantiles, an expression can be written, a drag zooms all panels', async t => {
    const page = await site.open('metrics?metric=request_seconds_bucket', { dark: true, viewport: narrow })
    await page.getByRole('button', { name: '99 % quantile' }).click()
    await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
    await look(t, page, 'metrics-narrow-dark')
    await write(page, 'Expression 1', 'queue_length')
    await page.keyboard.press('Enter')
    await page.getByText('3 series in').waitFor()
    const plot = page.locator('.u-over').first()
    // Scrolls there, again where the chart is made anew meanwhile.
    await plot.hover()
    const box = (await plot.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.8, box.y + 50, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    await write(page, 'Expression 1', 'sum(')
    await page.keyboard.press('Enter')
    await shows(t).match(() => page.getByRole('alert').textContent(), /parse error|unexpected/)
    await page.getByRole('link', { name: 'Query' }).last().click()
    await page.getByLabel('PromQL expression').waitFor()
  })

  await t.test('an expression is completed as on the page of queries, and stays one line', async t => {
    const page = await site.open('metrics?panels=drift')
    const field = page.getByRole('textbox', { name: 'Expression 1' })
    await write(page, 'Expression 1', 'queue_l')
    await page.keyboard.press('Control+Space')
    await page.locator('.cm-tooltip-autocomplete').getByText('queue_length').first().waitFor()
    await look(t, page, 'metrics-completion')
    await page.keyboard.press('Enter')
    t.equal(await field.textContent(), 'queue_length')
    await write(page, 'Expression 1', 'sum(\n  queue_length\n)')
    t.equal(await field.textContent(), 'sum( queue_length )')
    await page.keyboard.press('Enter')
    await page.waitForURL(/panels=sum/)
    await page.getByText('1 series in').waitFor()
  })

  for (const dark of [false, true]) {
    await t.test(`drawings can be read, ${dark ? 'dark' : 'light'}`, async t => {
      const page = await site.open('metrics?panels=process_resident_memory_bytes%0Adrift', { dark })
      for (const [label, pattern] of [
        ['process_resident_memory_bytes', /^[\d.]+ MiB$/],
        ['drift', /^(0|[\d.]+e-7)$/]
      ] as const) {
        await page.getByRole('figure', { name: label }).locator('.legend li').nth(1).waitFor()
        const axis = (await drawnTexts(page, label)).filter(({ text }) => !/^\d\d:|^20\d\d-/.test(text))
        t.ok(axis.length >= 3, `${label}: ${axis.map(({ text }) => text).join(' | ')}`)
        for (const { text, left } of axis) {
          t.match(text, pattern)
          t.ok(left >= 0, `${text} fits`)
        }
        t.equal(new Set(axis.map(({ text }) => text)).size, axis.length, 'each place has a text of its own')
      }
      const figure = page.getByRole('figure', { name: 'process_resident_memory_bytes' })
      const box = (await figure.locator('.u-over').boundingBox())!
      await page.mouse.move(box.x + box.width / 2, box.y + 40)
      const tip = figure.locator('.tooltip')
      await tip.waitFor()
      await shows(t).match(() => tip.locator('time').textContent(), /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
      const rows = await tip.locator('.row').allTextContents()
      t.match(rows, [/job="web".*MiB$/, /job="api".*MiB$/], 'the largest first')
      const inside = (await tip.boundingBox())!
      t.ok(inside.x >= 0 && inside.x + inside.width <= 1280, 'it lies on the screen')
      const ground = await page.locator('.tooltip').evaluate(each => getComputedStyle(each).backgroundColor)
      t.equal(ground, dark ? 'rgb(23, 30, 36)' : 'rgb(255, 255, 255)')
      await shows(t).match(
        () => figure.locator('.legend .figure').allTextContents(),
        [/^last .*MiB/, /^min/, /^avg/, /^max/]
      )
      await look(t, page, `metrics-tooltip-${dark ? 'dark' : 'light'}`)
      await figure.getByRole('button', { name: /job="api"/ }).click()
      await figure.getByRole('button', { name: /job="web"/, pressed: false }).waitFor()
      // A click shows one alone.
      let moved = 0
      await until(
        () => page.mouse.move(box.x + box.width / 3 + (moved++ % 5), box.y + 40),
        async () => (await figure.locator('.tooltip .row').count()) === 1
      )
      await figure.getByRole('button', { name: /job="api"/ }).click()
      await shows(t).equal(() => figure.getByRole('button', { pressed: true }).count(), 2)
      await figure.locator('.u-over').dblclick()
      await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    })
  }

  await t.test('no word of the time axis is cut off, wherever the last one stands', async t => {
    for (const [from, to] of [
      ['2026-05-01', '2026-05-08'],
      ['2026-05-04T12:00:00Z', '2026-05-05T00:00:00Z'],
      ['2026-05-04T23:59:59.1Z', '2026-05-05T00:00:00Z']
    ])
      for (const viewport of [{ width: 1280, height: 800 }, narrow]) {
        const page = await site.open(`metrics?panels=vector(1)&from=${from}&to=${to}`, { viewport })
        await page.getByRole('figure', { name: 'vector(1)' }).locator('.legend li').first().waitFor()
        const width = await canvasWidth(page, 'vector(1)')
        const words = await drawnTexts(page, 'vector(1)')
        t.ok(words.some(({ text }) => text.startsWith('2026-05-0')))
        for (const { text, left, right } of words)
          t.ok(left >= 0 && right <= width, `${text} from ${left} to ${right} of ${width}`)
      }
  })

  await t.test('crosshair, tooltip and what is being dragged stay while values are loaded anew', async t => {
    const page = await site.open('metrics?panels=queue_length&from=now-1h&refresh=5s')
    const figure = page.getByRole('figure', { name: 'queue_length' })
    await figure.locator('.legend li').nth(2).waitFor()
    const loaded = () => page.waitForResponse(response => response.url().includes('/query_range'))
    await loaded()
    const plot = figure.locator('.u-over')
    await plot.hover()
    const tip = figure.locator('.tooltip')
    await tip.waitFor()
    const time = await tip.locator('time').textContent()
    await page.evaluate(() => {
      const counted = globalThis as unknown as { gone: number }
      counted.gone = 0
      new MutationObserver(all => {
        for (const { removedNodes } of all)
          counted.gone += [...removedNodes].filter(each => (each as Element).matches?.('.tooltip, .uplot')).length
      }).observe(document.body, { childList: true, subtree: true })
    })
    await page.waitForFunction(time => document.querySelector('.tooltip time')!.textContent !== time, time)
    await shows(t).equal(() => tip.locator('.row').count(), 3)
    const box = (await plot.boundingBox())!
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 3 })
    await loaded()
    await page.mouse.move(box.x + box.width * 0.8, box.y + 50, { steps: 3 })
    t.equal(await page.evaluate(() => (globalThis as unknown as { gone: number }).gone), 0, 'nothing went away')
    await page.mouse.up()
    await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
  })

  await t.test('of many series the largest are drawn, each in a colour of its own, and words say so', async t => {
    const page = await site.open('metrics?panels=many')
    await page.getByText('500 of 600 series are drawn').waitFor()
    const names = await page.locator('.legend .name').allTextContents()
    t.match(names[1], 'n="599"')
    const colours = await page
      .locator('.legend li .swatch')
      .evaluateAll(all => all.slice(0, 60).map(each => getComputedStyle(each).backgroundColor))
    t.equal(new Set(colours).size, 60)
    await page.getByRole('button', { name: 'Chart of many' }).click()
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as PNG' }).click()
    ])
    t.equal(
      readFileSync(await picture.path())
        .subarray(1, 4)
        .toString(),
      'PNG'
    )
    const [values] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click()
    ])
    t.equal(
      readFileSync(await values.path(), 'utf8')
        .split('\n')[0]!
        .split('many').length,
      501
    )
    await page.getByLabel('Logarithmic').check()
    await page.getByRole('button', { name: 'Bars' }).click()
    await look(t, page, 'metrics-many')
  })

  await t.test('annotations are lines in every chart, and the tooltip tells their text', async t => {
    const page = await site.open('metrics?panels=queue_length')
    await page.getByRole('figure', { name: 'queue_length' }).locator('.legend li').nth(2).waitFor()
    await page.getByRole('button', { name: 'Annotations' }).click()
    await page.getByLabel('Where this expression').fill('many{n="7"}')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '1 annotation' }).waitFor()
    await page.keyboard.press('Escape')
    // The plot in it is made anew when annotations come.
    const box = (await page.locator('.plot').first().boundingBox())!
    const mark = page.locator('.tooltip .mark')
    for (let x = box.width - 1; x > 0 && (await mark.count()) === 0; x -= 3)
      await page.mouse.move(box.x + x, box.y + 30)
    await shows(t).equal(() => mark.textContent(), 'many{n="7"}')
    await look(t, page, 'metrics-annotation')
  })

  await t.test('annotations are lines in heat maps, too', async t => {
    const expression = 'sum by (le) (increase(request_seconds_bucket[5m]))'
    const marks = encodeURIComponent('many{n="7"}')
    for (const dark of [false, true]) {
      const page = await site.open(`metrics?panels=${encodeURIComponent(expression)}&marks=${marks}`, { dark })
      await page.getByRole('button', { name: '1 annotation' }).waitFor()
      const figure = page.getByRole('figure', { name: expression })
      await figure.locator('.scale').waitFor()
      const canvas = figure.locator('canvas')
      const box = (await canvas.boundingBox())!
      const mark = figure.locator('.tooltip .mark')
      let x = box.width - 12
      for (; x > 0 && (await mark.count()) === 0; x -= 3) await page.mouse.move(box.x + x, box.y + 30)
      await shows(t).equal(() => mark.textContent(), 'many{n="7"}')
      const isDrawn = (at: number) =>
        canvas.evaluate((each: HTMLCanvasElement, at) => {
          const ratio = each.width / each.clientWidth
          const { data } = each.getContext('2d')!.getImageData((at - 8) * ratio, 2 * ratio, 16 * ratio, 1)
          const wanted = getComputedStyle(document.body).color.match(/\d+/g)!.map(Number)
          const isLike = (i: number) =>
            wanted.every((part, c) => Math.abs(data[i + c]! - part) < 40) && data[i + 3]! > 100
          return Array.from({ length: data.length / 4 }, (_, i) => isLike(4 * i)).some(Boolean)
        }, at)
      t.ok(await isDrawn(x), 'a line is drawn where the words are')
      t.notOk(await isDrawn(x - 60), 'and none elsewhere')
      await look(t, page, `metrics-heat-map-annotation-${dark ? 'dark' : 'light'}`)
    }
  })

  await t.test('metrics with most series are told, and the number a metric would have without a label', async t => {
    const page = await site.open('metrics?view=cardinality', { viewport: { width: 1440, height: 900 } })
    const metrics = page.getByLabel('Metrics with most series')
    await shows(t).match(() => metrics.locator('li').first().textContent(), /^many600/)
    await shows(t).match(() => page.getByLabel('Labels with most values').locator('li').first().textContent(), /^n600/)
    await look(t, page, 'metrics-cardinality')
    await metrics.getByRole('button', { name: 'http_requests_total' }).click()
    const drop = page.getByLabel('What to drop')
    await drop.getByText('without code').waitFor()
    await shows(t).match(
      () => drop.locator('li').allTextContents(),
      ['without job2 series, 67 % fewer', 'without code3 series, 50 % fewer']
    )
    const dark = await site.open('metrics?view=cardinality&metric=many', { dark: true, viewport: narrow })
    await dark.getByText('1 series, 100 % fewer').waitFor()
    await look(t, dark, 'metrics-cardinality-narrow-dark')
  })

  await t.test('histograms are heat maps, with exemplars as dots that lead to traces', async t => {
    const page = await site.open('metrics?metric=request_seconds_bucket', { viewport: { width: 1440, height: 900 } })
    await page.getByRole('button', { name: 'Heat map' }).click()
    const expression = 'sum by (le) (increase(request_seconds_bucket[5m]))'
    const figure = page.getByRole('figure', { name: expression })
    await figure.locator('.scale').waitFor()
    const texts = (await drawnTexts(page, expression)).map(({ text }) => text)
    t.same(texts.slice(0, 4), ['0 s', '100 ms', '1 s', '∞'])
    const clocks = texts.filter(text => /^\d\d:\d\d$/.test(text))
    t.ok(clocks.length >= 3 && clocks.every(text => /[05]$/.test(text)), `round times: ${clocks.join()}`)
    const box = (await figure.locator('canvas').boundingBox())!
    await page.mouse.move(box.x + box.width * 0.7, box.y + 90)
    await shows(t).match(() => figure.locator('.tooltip').textContent(), /^20\d\d-.*100 ms to 1 s[1-9]/)
    await look(t, page, 'metrics-heat-map')
    const saved = async (kind: string) => {
      await figure.getByRole('button', { name: `Chart of ${expression}` }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        figure.getByRole('button', { name: kind }).click()
      ])
      await page.keyboard.press('Escape')
      return readFileSync(await download.path())
    }
    t.equal((await saved('Save as PNG')).subarray(1, 4).toString(), 'PNG')
    t.match((await saved('Save as CSV')).toString(), /^from,to,above,up to,count\n20.*Z,20.*Z,[\d.]+,[\d.]+,\d/)
    const dot = figure.getByRole('link', { name: /^Trace of 420 ms/ })
    const { y, height } = (await dot.boundingBox())!
    const share = (y + height / 2 - (await figure.locator('canvas').boundingBox())!.y) / (220 - 34)
    t.ok(share > 1 / 3 && share < 2 / 3, `a dot of 420 ms lies between 100 ms and 1 s: ${share}`)
    await figure.locator('canvas').dblclick({ position: { x: 300, y: 60 } })
    await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    const [from, to] = ['from', 'to'].map(name => Date.parse(new URL(page.url()).searchParams.get(name)!))
    t.ok(to! - from! > 5_000_000, 'a double-click shows more than the hour')
    await page.getByRole('group', { name: 'Drawn as' }).getByRole('button', { name: 'Lines' }).click()
    await figure.locator('.legend li').nth(2).waitFor()
    await page.goto(`${site.url}/dashboard/metrics?panels=${encodeURIComponent(quantile)}`)
    const chart = page.getByRole('figure', { name: quantile })
    await chart.locator('.legend li').first().waitFor()
    await chart.getByRole('link', { name: /^Trace of 420 ms/ }).waitFor()
    await look(t, page, 'metrics-dots')
    await chart.getByRole('link', { name: /^Trace of 420 ms/ }).click()
    await page.waitForURL(/trace=0af7651916cd43dd8448eb211c80319c/)

    const native = 'sum(increase(native_seconds[5m]))'
    const dark = await site.open(`metrics?panels=${encodeURIComponent(native)}`, { dark: true, viewport: narrow })
    await dark.getByRole('figure', { name: native }).locator('.scale').waitFor()
    const bounds = (await drawnTexts(dark, native)).map(({ text }) => text)
    t.same(
      bounds.slice(0, 7),
      ['-1 ms', '2 ms', '8 ms', '32 ms', '128 ms', '500 ms', '2 s'],
      'empty ones have their row'
    )
    await look(t, dark, 'metrics-heat-map-narrow-dark')
  })

  await t.test('metrics of the same thing are named', async t => {
    const page = await site.open('metrics?metric=http_requests_total')
    await page.getByLabel('About http_requests_total').getByRole('button', { name: 'As it is' }).waitFor()
    t.equal(await page.getByLabel('Related metrics').count(), 0, 'nothing else is like it')
    await page.goto(`${site.url}/dashboard/metrics?metric=http_requests_failed`)
    await page.getByLabel('Related metrics').getByRole('button', { name: 'http_requests_total' }).click()
    await page.getByLabel('About http_requests_total').waitFor()
  })

  await t.test('exemplars lead to traces', async t => {
    const page = await site.open('metrics?metric=request_seconds_bucket')
    const table = page.getByLabel('Exemplars')
    await table.getByText('420 ms').waitFor()
    await look(t, page, 'metrics-exemplars')
    await table.getByRole('link', { name: '0af7651916cd43dd8448eb211c80319c' }).click()
    await page.waitForURL(/trace=0af7651916cd43dd8448eb211c80319c/)
  })
})
