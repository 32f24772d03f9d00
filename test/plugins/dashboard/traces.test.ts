import t from 'tap'
import { needing } from '../../programs.ts'
import { shop, traceId } from '../jaeger/spans.ts'
import { encodeTraces } from '../telemetry/traces/encode.ts'
import { look, narrow, openSite } from './browser.ts'

t.setTimeout(180_000)

async function fill(url: string): Promise<void> {
  const response = await fetch(`${url}/v1/telemetry/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-protobuf' },
    body: Buffer.from(encodeTraces(shop))
  })
  if (!response.ok) throw new Error(await response.text())
}

const then = 'from=2023-11-14T22:00:00Z&to=2023-11-14T23:00:00Z'

t.test('the page of traces', needing('chromium'), async t => {
  const site = await openSite(t, { fill })

  await t.test('finds traces by service, operation, tags and duration', async t => {
    const page = await site.open(`traces?service=frontend&${then}`)
    const list = page.getByRole('list', { name: 'Traces found' })
    await list.getByText('frontend: GET /cart').waitFor()
    t.equal(await list.getByRole('listitem').count(), 2)
    await look(t, page, 'traces-search')
    await page.getByLabel('At least').fill('500ms')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByText('1 traces').waitFor()
    await page.getByLabel('Tags').fill('http.request.method=GET user.id=9007199254740993')
    await page.keyboard.press('Enter')
    await page.getByText('1 traces').waitFor()
    await page.getByLabel('At most').fill('soon')
    await page.keyboard.press('Enter')
    t.match(await page.getByRole('alert').textContent(), /soon/)
  })

  await t.test('shows a trace as a waterfall and everything of a span', async t => {
    const page = await site.open(`traces?service=frontend&${then}`)
    await page.getByText('frontend: GET /cart').click()
    await page.getByRole('button', { name: 'frontend GET /cart' }).waitFor()
    t.equal(await page.locator('.waterfall .row').count(), 3)
    await look(t, page, 'trace')
    await page.getByRole('button', { name: 'Close call cart' }).click()
    t.equal(await page.locator('.waterfall .row').count(), 2)
    await page.getByRole('button', { name: 'Open all' }).click()
    await page.getByLabel('Search in this trace').fill('oops')
    await page.getByText('1 spans', { exact: true }).waitFor()
    t.equal(await page.locator('.waterfall .row.dim').count(), 2)
    await page.getByRole('button', { name: 'frontend GET /cart' }).click()
    const details = page.getByRole('complementary', { name: 'GET /cart' })
    await details.getByText('exception.type').waitFor()
    t.match(await details.textContent(), /user\.id9007199254740993/)
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
})
