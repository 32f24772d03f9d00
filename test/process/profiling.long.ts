// Profiles of the real process, opened in a browser and in the pprof tool.
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import t, { type Test } from 'tap'
import { findProgram, freePort, needing } from '../programs.ts'
import { type ServerProcess, serverFolder, startProcess } from './server.ts'

const body = Array.from({ length: 3000 }, (_, i) => JSON.stringify({ line: i, text: `line ${i}` })).join('\n')

/** A profile taken while the server takes items. */
async function profile(server: ServerProcess, query: string): Promise<Response> {
  let done = false
  const answer = fetch(`${server.url}/debug/prof/cpu?${query}`, { method: 'POST' }).finally(() => {
    done = true
  })
  const headers = { 'content-type': 'application/x-ndjson' }
  while (!done) {
    const url = `${server.url}/v1/ingest?table=logs&pipeline_name=svc_identity`
    await (await fetch(url, { method: 'POST', headers, body })).arrayBuffer()
  }
  return answer
}

async function openBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: findProgram('chromium')!, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  return browser
}

t.test(
  'a flame graph in a browser is searched and zoomed, under the policy it comes with',
  needing('chromium'),
  async t => {
    const server = await startProcess(t, serverFolder(t))
    const answer = await profile(server, 'seconds=1&frequency=500&output=flamegraph')
    const [svg, policy] = [await answer.text(), answer.headers.get('content-security-policy')!]
    // Served again as it came: the server's own answer is to a POST, which no address bar sends.
    const port = await freePort()
    const site = createServer((request, response) => {
      if (request.url === '/graph.svg') {
        response.setHeader('content-type', 'image/svg+xml').setHeader('content-security-policy', policy).end(svg)
      } else {
        response.setHeader('content-security-policy', "default-src 'none'; img-src 'self'")
        response.setHeader('content-type', 'text/html').end('<img src="/graph.svg">')
      }
    }).listen(port, '127.0.0.1')
    t.teardown(() => site.close())

    const browser = await openBrowser(t)
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    const complaints: string[] = []
    page.on('console', message => complaints.push(message.text()))
    page.on('pageerror', error => complaints.push(error.message))
    await page.goto(`http://127.0.0.1:${port}/graph.svg`)
    const frame = (name: string) => page.locator('.frame').filter({ hasText: name }).first()
    const width = async (name: string) => (await frame(name).locator('rect').boundingBox())?.width ?? 0
    t.ok((await width('all')) > 1190, 'the whole is as wide as the picture')

    await t.test('search marks what matches and says how much it is', async t => {
      await page.locator('input').fill('plugins/ingest')
      const found = page.locator('.frame.found')
      t.ok((await found.count()) > 0)
      t.match(await found.first().locator('title').textContent(), /plugins\/ingest\//)
      t.match(await page.locator('.matched').textContent(), /^matched \d+\.\d %$/)
      await page.locator('input').fill('no such function')
      t.equal(await found.count(), 0)
      t.equal(await page.locator('.matched').textContent(), 'matched 0.0 %')
      await page.keyboard.press('Escape')
      t.equal(await page.locator('.matched').textContent(), '')
    })

    await t.test('a click makes a frame as wide as the picture, and hides what is beside it', async t => {
      const before = await width('[main thread]')
      t.ok(before < 1195, 'there is native time beside the main thread')
      await frame('[main thread]').click()
      t.ok((await width('[main thread]')) > 1190)
      t.ok((await width('all')) > 1190, 'its callers stay')
      t.equal(await page.locator('.frame[data-depth="1"]:visible').count(), 1)
      t.match(await frame('[main thread]').locator('text').textContent(), '[main thread]')
      await page.locator('.reset').click()
      t.equal(await width('[main thread]'), before)
      t.notOk(await page.locator('.reset').isVisible())
    })

    t.strictSame(complaints, [], 'the browser has nothing to complain of')

    await page.goto(`http://127.0.0.1:${port}/`)
    const size = await page.locator('img').evaluate(image => (image as HTMLImageElement).naturalWidth)
    t.equal(size, 1200, 'as an image of a strict page it is drawn, too')
    await server.kill('SIGTERM')
  }
)

t.test('the pprof tool names functions, files and plugins', needing('pprof'), async t => {
  const dir = serverFolder(t)
  const server = await startProcess(t, dir)
  const file = join(dir, 'cpu.pb.gz')
  writeFileSync(file, Buffer.from(await (await profile(server, 'seconds=1&frequency=500')).arrayBuffer()))
  const pprof = (...args: string[]) =>
    execFileSync(findProgram('pprof')!, [...args, file], { encoding: 'utf8', env: { HOME: dir }, stdio: 'pipe' })
  t.match(pprof('-top', '-nodefraction=0', '-nodecount=1000'), /^Type: cpu$[\s\S]* itemSteps$/m)
  t.match(pprof('-list', 'itemSteps'), /core\/wire\/item\/decode\.ts/)
  t.match(pprof('-tags'), /^ *[\d.]+m?s \( *[\d.]+%\): (ingest|pipelines)$/m)
  await server.kill('SIGTERM')
})
