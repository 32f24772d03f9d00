import { readFileSync } from 'node:fs'
import t from 'tap'
import { encodeSnappy } from '../../../core/index.ts'
import { needing } from '../../programs.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'
import { drawnTexts, look, narrow, openSite } from './browser.ts'

t.setTimeout(180_000)

const step = 15_000
const count = 240

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
    t.equal(await page.getByLabel('Expression 1').inputValue(), 'sum(rate(http_requests_total[5m]))')
    await page.getByRole('button', { name: 'job 3' }).click()
    await page.getByRole('button', { name: 'Sum by job' }).click()
    await page.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
    await page.getByLabel('Values of job').getByRole('button', { name: 'web' }).click()
    await page.getByLabel('Panel 3').locator('.legend li').nth(1).waitFor()
    await look(t, page, 'metrics')
    await page.getByLabel('Panel 3').getByRole('button', { name: 'Up' }).click()
    await page.waitForFunction(() =>
      document.querySelectorAll<HTMLInputElement>('.expression')[1]?.value.includes('web')
    )
    await page.getByLabel('Panel 2').getByRole('button', { name: 'Remove' }).click()
    await page.getByLabel('Panel 3').waitFor({ state: 'detached' })
    const again = await site.open(page.url().slice(`${site.url}/dashboard/`.length))
    await again.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
    t.match(await again.getByLabel('Expression 2').inputValue(), 'sum by (job)')
  })

  await t.test('histograms are shown as quantiles, an expression can be written, a drag zooms all panels', async t => {
    const page = await site.open('metrics?metric=request_seconds_bucket', { dark: true, viewport: narrow })
    await page.getByRole('button', { name: '99 % quantile' }).click()
    await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
    await look(t, page, 'metrics-narrow-dark')
    await page.getByLabel('Expression 1').fill('queue_length')
    await page.keyboard.press('Enter')
    await page.getByText('3 series in').waitFor()
    const plot = page.locator('.u-over').first()
    await plot.scrollIntoViewIfNeeded()
    const box = (await plot.boundingBox())!
    await page.mouse.move(box.x + box.width * 0.5, box.y + 40)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.8, box.y + 50, { steps: 4 })
    await page.mouse.up()
    await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    await page.getByLabel('Expression 1').fill('sum(')
    await page.keyboard.press('Enter')
    t.match(await page.getByRole('alert').textContent(), /parse error|unexpected/)
    await page.getByRole('link', { name: 'Query' }).last().click()
    await page.getByLabel('PromQL expression').waitFor()
  })

  for (const dark of [false, true]) {
    await t.test(`what is drawn can be read, ${dark ? 'dark' : 'light'}`, async t => {
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
      t.match(await tip.locator('time').textContent(), /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d$/)
      const rows = await tip.locator('.row').allTextContents()
      t.match(rows, [/job="web".*MiB$/, /job="api".*MiB$/], 'the largest first')
      const inside = (await tip.boundingBox())!
      t.ok(inside.x >= 0 && inside.x + inside.width <= 1280, 'it lies on the screen')
      const ground = await page.locator('.tooltip').evaluate(each => getComputedStyle(each).backgroundColor)
      t.equal(ground, dark ? 'rgb(23, 30, 36)' : 'rgb(255, 255, 255)')
      t.match(await figure.locator('.legend .figure').allTextContents(), [/^last .*MiB/, /^min/, /^avg/, /^max/])
      await look(t, page, `metrics-tooltip-${dark ? 'dark' : 'light'}`)
      await figure.getByRole('button', { name: /job="api"/ }).click()
      await page.mouse.move(box.x + box.width / 3, box.y + 40)
      // A click shows one alone.
      await page.waitForFunction(() => document.querySelectorAll('.tooltip .row').length === 1)
      await figure.getByRole('button', { name: /job="api"/ }).click()
      t.equal(await figure.getByRole('button', { pressed: true }).count(), 2)
      await figure.locator('.u-over').dblclick()
      await page.waitForFunction(() => new URLSearchParams(location.search).get('from')?.startsWith('20'))
    })
  }

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

  await t.test('what happened is a line in every chart, and the tooltip says what it was', async t => {
    const page = await site.open('metrics?panels=queue_length')
    await page.getByRole('figure', { name: 'queue_length' }).locator('.legend li').nth(2).waitFor()
    await page.getByRole('button', { name: 'Annotations' }).click()
    await page.getByLabel('Where this expression').fill('many{n="7"}')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: '1 annotation' }).waitFor()
    await page.keyboard.press('Escape')
    const over = page.locator('.u-over').first()
    const box = (await over.boundingBox())!
    const mark = page.locator('.tooltip .mark')
    for (let x = box.width - 1; x > 0 && (await mark.count()) === 0; x -= 3)
      await page.mouse.move(box.x + x, box.y + 30)
    t.equal(await mark.textContent(), 'many{n="7"}')
    await look(t, page, 'metrics-annotation')
  })

  await t.test('what has most series is told, and what a metric would have without a label', async t => {
    const page = await site.open('metrics?view=cardinality', { viewport: { width: 1440, height: 900 } })
    const metrics = page.getByLabel('Metrics with most series')
    t.match(await metrics.locator('li').first().textContent(), /^many600/)
    t.match(await page.getByLabel('Labels with most values').locator('li').first().textContent(), /^n600/)
    await look(t, page, 'metrics-cardinality')
    await metrics.getByRole('button', { name: 'http_requests_total' }).click()
    const drop = page.getByLabel('What to drop')
    await drop.getByText('without code').waitFor()
    t.match(await drop.locator('li').allTextContents(), [
      'without job2 series, 67 % fewer',
      'without code3 series, 50 % fewer'
    ])
    const dark = await site.open('metrics?view=cardinality&metric=many', { dark: true, viewport: narrow })
    await dark.getByText('1 series, 100 % fewer').waitFor()
    await look(t, dark, 'metrics-cardinality-narrow-dark')
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
