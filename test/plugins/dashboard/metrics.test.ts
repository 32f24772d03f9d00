import t from 'tap'
import { encodeSnappy } from '../../../core/index.ts'
import { needing } from '../../programs.ts'
import { type TestSeries, writeV1 } from '../metricsys/messages.ts'
import { look, narrow, openSite } from './browser.ts'

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
})
