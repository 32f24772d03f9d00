import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { Profile } from 'pprof-format'
import t from 'tap'
import { needing } from '../../programs.ts'
import { look, narrow, openSite, runSql, shows } from '../dashboard/browser.ts'

const click = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** The tip of the frame that has the focus. */
const focused = (page: Page) =>
  page.evaluate(() => document.activeElement?.shadowRoot?.activeElement?.querySelector('title')?.textContent ?? '')

t.test('the page of profiles', needing('chromium'), async t => {
  const site = await openSite(t, { toml: '[plugins.profiling]\nmax_duration = "20s"\n' })
  const page = await site.open('query')
  await page.getByRole('link', { name: 'Profiles' }).click()

  await t.test('records processor time as a flame graph that zooms and searches', async t => {
    await page.getByLabel('Seconds').fill('0.5')
    await page.getByLabel('Samples a second').fill('500')
    const graph = page.locator('svg', { hasText: 'CPU profile of' })
    let isDrawn = false
    const work = async () => {
      while (!isDrawn) await runSql(site.url, 'SELECT sum(a.range * b.range) FROM range(5000) a, range(10000) b')
    }
    const busy = work()
    await click(page, 'Record')
    await page.getByRole('progressbar').waitFor()
    await graph.waitFor().finally(() => {
      isDrawn = true
    })
    await busy
    await look(t, page, 'profiles')
    const shown = () => graph.locator('.frame:visible').count()
    const all = await shown()
    t.ok(all > 5, `${all} frames`)
    await shows(t).not(() => graph.locator('.frame rect').first().getAttribute('fill'), null)
    await shows(t).equal(
      () => graph.locator('.title').evaluate(title => getComputedStyle(title).fontWeight),
      '700',
      'with its style'
    )
    await graph.locator('.frame', { hasText: '[native] child processes' }).first().click()
    await page.waitForFunction(() =>
      [...document.querySelectorAll('.card')].some(each => each.shadowRoot?.querySelector('.outside.frame'))
    )
    await shows(t).ok(async () => (await shown()) < all, 'a click zooms')
    await graph.getByRole('searchbox').fill('child')
    await graph.getByText(/^matched \d/).waitFor()
    await page.keyboard.press('Escape')
    await shows(t).equal(() => shown(), all)
    await page.keyboard.press('Tab')
    await shows(t).match(() => focused(page), /^all\n/)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await shows(t).match(() => focused(page), /^\[/, 'arrows walk to what was called')
    await page.keyboard.press('Enter')
    await shows(t).ok(async () => (await shown()) < all, 'Enter zooms')
    await page.keyboard.press('ArrowUp')
    await shows(t).match(() => focused(page), /^all\n/)
    await page.keyboard.press('Escape')
    await shows(t).match(() => page.url(), /seconds=0\.5&frequency=500$/)
    for (const [theme, paper] of [
      ['dark', 'rgb(23, 30, 36)'],
      ['light', 'rgb(255, 255, 255)']
    ] as const) {
      await page.getByLabel('Theme').selectOption(theme)
      await shows(t).equal(() => graph.locator('.paper').evaluate(each => getComputedStyle(each).fill), paper, theme)
      await look(t, page, `profiles-${theme}`)
    }
  })

  await t.test('as text, and as a file of pprof', async t => {
    await page.getByLabel('Show as').selectOption('Text')
    await click(page, 'Record')
    await page.locator('pre', { hasText: 'CPU profile of' }).waitFor()
    await page.getByLabel('Show as').selectOption('pprof file')
    const [download] = await Promise.all([page.waitForEvent('download'), click(page, 'Record')])
    t.match(download.suggestedFilename(), /^cpu-.*\.pb\.gz$/)
    t.ok(Profile.decode(gunzipSync(readFileSync(await download.path()))).sample.length > 0)
    await shows(t).match(() => page.url(), /output=proto/)
  })

  await t.test('samples the heap when it is told to', async t => {
    await page.getByText('Heap profiling is off.').waitFor()
    await shows(t).ok(() => page.getByRole('button', { name: 'Dump', exact: true }).isDisabled())
    await click(page, 'Activate a dump at each memory high')
    await page.getByText('Heap profiling is on.').waitFor()
    await page.getByLabel('Show as').selectOption('Text')
    await click(page, 'Dump')
    await page.locator('pre', { hasText: 'heap, sampled' }).waitFor()
    await click(page, 'Deactivate heap profiling')
    await page.getByText('A dump at each memory high is off.').waitFor()
  })

  await t.test('draws a file, and says what is wrong with one', async t => {
    const choose = (name: string, buffer: Buffer) =>
      page
        .getByLabel('Dump of the heap or pprof file')
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer })
    const response = await fetch(`${site.url}/debug/prof/cpu?seconds=0.2`, { method: 'POST' })
    await choose('cpu.pb.gz', Buffer.from(await response.arrayBuffer()))
    await page.locator('svg.frame, svg', { hasText: 'reset zoom' }).waitFor()
    await choose('cpu.pb.gz', Buffer.from('no profile'))
    await shows(t).match(() => page.getByRole('alert').textContent(), /^the body is not a heap dump/)
  })

  await t.test('gives up, and shows what the server refuses', async t => {
    await page.getByLabel('Seconds').fill('20')
    await click(page, 'Record')
    await click(page, 'Cancel')
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await shows(t).equal(() => page.getByRole('alert').count(), 0)
    await page.getByLabel('Seconds').fill('21')
    await click(page, 'Record')
    await page.getByText('max_duration').waitFor()
    const dark = await site.open('x/profiles?seconds=0.3', { dark: true, viewport: narrow })
    await dark.getByText('Heap profiling is off.').waitFor()
    await shows(t).equal(() => dark.getByLabel('Seconds').inputValue(), '0.3', 'a link brings what it was set to')
    await click(dark, 'Record')
    await dark.locator('svg', { hasText: 'CPU profile of' }).waitFor()
    await look(t, dark, 'profiles-narrow-dark')
  })
})
