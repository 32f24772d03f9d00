// The first steps of a new user: from `npm run demo` to a saved dashboard and a firing alert. Each step leaves
// a numbered picture in test-output/dashboard, and walk.md there says when it was done.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import t from 'tap'
import { needing } from '../../programs.ts'
import { look, pictures, shows, until, visit } from './browser.ts'

/** The demo as its user starts it; its address. */
async function startDemo(): Promise<string> {
  const cwd = join(import.meta.dirname, '../../..')
  const args = ['run', '--silent', 'demo', '--', '--http-addr', '127.0.0.1:0']
  // As at a terminal, where Ctrl-C reaches all of them.
  const child = spawn('npm', args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child.stdout, 'close')
  t.teardown(async () => {
    process.kill(-child.pid!, 'SIGINT')
    await ended
  })
  let text = ''
  child.stdout.setEncoding('utf8')
  return new Promise((resolve, reject) => {
    child.stdout.on('data', part => {
      text += part
      const url = /Look at it: (\S+)\/dashboard/.exec(text)?.[1]
      if (url !== undefined) resolve(url)
    })
    child.once('exit', () => reject(new Error(`the demo ended: ${text}`)))
  })
}

t.test('from the demo to a saved dashboard and a firing alert', needing('chromium', 'npm'), async t => {
  const began = performance.now()
  const done: string[] = []
  const url = await startDemo()
  const page = await visit(t, url, '')
  const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
  const refreshUntil = (wanted: Locator) =>
    until(
      () => page.getByRole('button', { name: 'Refresh' }).click(),
      () =>
        wanted.waitFor({ timeout: 1_000 }).then(
          () => true,
          () => false
        )
    )
  const step = async (words: string, act: () => Promise<unknown>) => {
    await act()
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    const picture = `walk-${String(done.length + 1).padStart(2, '0')}-${words.toLowerCase().replaceAll(/\W+/g, '-')}`
    await look(t, page, picture)
    done.push(`| ${seconds} s | ${words} | ![${words}](${picture}.png) |`)
    t.comment(`${seconds} s: ${words}`)
  }

  await step('Home says what came in', async () => {
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
  })
  await step('A metric is chosen', async () => {
    await goTo('Metrics')
    await page.getByRole('button', { name: /^shop_requests_total/ }).click()
    await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
  })
  await step('Its rate by job', async () => {
    await page.getByRole('button', { name: /^job 3/ }).click()
    await page.getByRole('button', { name: 'Sum by job' }).click()
    await page.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
  })
  await step('A dashboard of it', async () => {
    await page.getByLabel('Panel 2').getByRole('link', { name: 'Dashboard', exact: true }).click()
    await page.getByLabel('Title of the dashboard').fill('My shop')
    await page.locator('.legend li').nth(2).waitFor()
  })
  await step('Its errors beside it', async () => {
    await page.getByRole('button', { name: 'Add a panel' }).click()
    await page.getByLabel('Title', { exact: true }).fill('Errors')
    await page.getByRole('combobox', { name: 'Language of query 1' }).selectOption('logs')
    await page.getByLabel('Text of query 1').fill('telemetry_logs failed')
    await page.getByLabel('Text of query 1').blur()
    await page.getByText('the bank does not answer').first().waitFor()
  })
  await step('The dashboard is saved', async () => {
    await page.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL(/board=[\da-f]{16}/)
    await page.getByText('the bank does not answer').first().waitFor()
  })
  await step('An alert fires', async () => {
    await goTo('Alerts')
    await page.getByRole('button', { name: 'Refresh' }).waitFor()
    await refreshUntil(page.getByText(/% of the payments fail/).first())
    // Its alert is pending for ten seconds first.
    await refreshUntil(page.locator('.part.firing').first())
    const lane = (await page.locator('.lane').first().boundingBox())!
    const part = (await page.locator('.part').first().boundingBox())!
    t.ok(part.width >= 3 && part.x + part.width <= lane.x + lane.width + 0.5, 'what has just begun is seen in its lane')
  })
  await step('A trace that failed', async () => {
    await goTo('Traces')
    await page.locator('.trace-list li').first().waitFor()
    await page.locator('.trace-list a').first().click()
    await page.getByRole('heading', { name: 'Trace' }).waitFor()
  })
  await step('The server looks at itself', async () => {
    await goTo('Dashboards')
    await page.getByRole('link', { name: 'This server' }).click()
    await refreshUntil(page.locator('.legend li').nth(8))
  })
  await step('The dashboard is there again', async () => {
    await goTo('Dashboards')
    await page.getByRole('link', { name: 'My shop' }).click()
    await page.getByRole('heading', { name: 'My shop' }).waitFor()
    await page.locator('.legend li').nth(2).waitFor()
  })
  const seconds = Math.round((performance.now() - began) / 1_000)
  t.ok(seconds < 300, `${seconds} s are less than five minutes`)
  t.comment(`${seconds} s from npm run demo to the end of the walk`)
  const head = '# From npm run demo to a saved dashboard and a firing alert\n\n| since the start | | |\n|---|---|---|\n'
  writeFileSync(join(pictures, 'walk.md'), `${head}${done.join('\n')}\n`)

  const count = async () => {
    const sql = 'SELECT count(*) FROM shop'
    const reply = await fetch(`${url}/v1/sql?${new URLSearchParams({ sql })}`)
    return ((await reply.json()) as { output: { records: { rows: number[][] } }[] }).output[0]!.records.rows[0]![0]!
  }
  await shows(t).ok(async () => (await count()) > 1_200, 'the shop goes on')
})
