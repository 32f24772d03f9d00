// What somebody does who sees the server for the first time: from `weir demo` to a saved dashboard and a firing alert.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { needing } from '../../programs.ts'
import { look, shows, until, visit } from './browser.ts'

/** The demo as its user starts it; its address. */
async function startDemo(): Promise<string> {
  const root = join(import.meta.dirname, '../../..')
  const args = [join(root, 'bin/weir.js'), 'demo', '--http-addr', '127.0.0.1:0']
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    if (child.exitCode !== null) return
    child.kill('SIGTERM')
    await once(child, 'exit')
  })
  let text = ''
  for await (const part of child.stdout) {
    text += part
    const url = /Look at it: (\S+)\/dashboard/.exec(text)?.[1]
    if (url !== undefined) {
      child.stdout.resume()
      return url
    }
  }
  throw new Error(`the demo ended: ${text}`)
}

t.test('from the demo to a saved dashboard and a firing alert', needing('chromium'), async t => {
  const began = performance.now()
  const url = await startDemo()
  const page = await visit(t, url, '')
  const goTo = (name: string) => page.getByRole('navigation').getByRole('link', { name, exact: true }).click()

  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.getByRole('link', { name: 'shop', exact: true }).waitFor()
  await look(t, page, 'walk-1-home')

  await goTo('Metrics')
  await page.getByRole('button', { name: /^shop_requests_total/ }).click()
  await page.getByLabel('Panel 1').locator('.legend li').first().waitFor()
  await page.getByRole('button', { name: /^job 3/ }).click()
  await page.getByRole('button', { name: 'Sum by job' }).click()
  await page.getByLabel('Panel 2').locator('.legend li').nth(2).waitFor()
  await look(t, page, 'walk-2-metrics')

  await page.getByLabel('Panel 2').getByRole('link', { name: 'Dashboard', exact: true }).click()
  await page.getByLabel('Title of the dashboard').fill('My shop')
  await page.getByRole('button', { name: 'Add a panel' }).click()
  await page.getByLabel('Title', { exact: true }).fill('Errors')
  await page.getByRole('combobox', { name: 'Language of query 1' }).selectOption('logs')
  await page.getByLabel('Text of query 1').fill('telemetry_logs failed')
  await page.getByLabel('Text of query 1').blur()
  await page.getByText('the bank does not answer').first().waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL(/board=[\da-f]{16}/)
  await page.getByText('the bank does not answer').first().waitFor()
  await look(t, page, 'walk-3-dashboard')

  await goTo('Alerts')
  await page.getByRole('button', { name: 'Refresh' }).waitFor()
  const firing = page.getByText(/% of the payments fail/).first()
  await until(
    () => page.getByRole('button', { name: 'Refresh' }).click(),
    () =>
      firing.waitFor({ timeout: 1_000 }).then(
        () => true,
        () => false
      )
  )
  await page.locator('.part.firing').first().waitFor()
  const lane = (await page.locator('.lane').first().boundingBox())!
  const part = (await page.locator('.part').first().boundingBox())!
  t.ok(part.width >= 3 && part.x + part.width <= lane.x + lane.width + 0.5, 'what has just begun is seen in its lane')
  await look(t, page, 'walk-4-alert')

  await goTo('Traces')
  await page.getByRole('heading', { name: 'Traces' }).waitFor()
  await goTo('Dashboards')
  await page.getByRole('link', { name: 'My shop' }).click()
  await page.getByRole('heading', { name: 'My shop' }).waitFor()
  const seconds = Math.round((performance.now() - began) / 1_000)
  t.ok(seconds < 300, `${seconds} s are less than five minutes`)
  t.comment(`${seconds} s from the start of the demo to the end of the walk`)

  const count = async () => {
    const sql = 'SELECT count(*) FROM shop'
    const reply = await fetch(`${url}/v1/sql?${new URLSearchParams({ sql })}`)
    return ((await reply.json()) as { output: { records: { rows: number[][] } }[] }).output[0]!.records.rows[0]![0]!
  }
  await shows(t).ok(async () => (await count()) > 1_200, 'the shop goes on')
})
