// A real browser on the dashboard of a real server.
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { serverFolder, startProcess } from '../../process/server.ts'
import { findProgram } from '../../programs.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const built = fileURLToPath(new URL('../../../plugins/dashboard/assets/index.html', import.meta.url))
const pictures = fileURLToPath(new URL('../../../test-output/dashboard', import.meta.url))

export const wide = { width: 1280, height: 800 }
export const narrow = { width: 390, height: 844 }

export interface Site {
  /** Address of the server. */
  readonly url: string
  /** A page of its own at an address below `/dashboard/`; what it complains about fails the test. */
  open(path: string, options?: PageOptions): Promise<Page>
}

export interface PageOptions {
  readonly viewport?: typeof wide
  readonly dark?: boolean
  /** Zone of the reader's machine. */
  readonly timezoneId?: string
}

export interface SiteOptions {
  readonly toml?: string
  readonly env?: Readonly<Record<string, string>>
  /** Puts data into the server. */
  fill?(url: string): Promise<void>
}

/** A server and a browser that both end with the test. */
export async function openSite(t: Test, { toml = '', env = {}, fill }: SiteOptions = {}): Promise<Site> {
  if (!existsSync(built)) throw new Error('the dashboard is not built: npm run build:dashboard')
  const server = await startProcess(t, serverFolder(t, toml), { env })
  await fill?.(server.url)
  const browser = await chromium.launch({ executablePath: findProgram('chromium')!, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  let opened: BrowserContext[] = []
  // Pages of a part that is over would go on asking the server; those opened before it stay.
  t.beforeEach(() => {
    opened = []
  })
  t.afterEach(() => Promise.all(opened.map(context => context.close())))
  return {
    url: server.url,
    async open(path, { viewport = wide, dark = false, timezoneId = 'UTC' } = {}) {
      const colorScheme = dark ? 'dark' : 'light'
      const context = await browser.newContext({ viewport, colorScheme, timezoneId, reducedMotion: 'reduce' })
      opened.push(context)
      return open(t, context, server.url, path)
    }
  }
}

/** A page of a server that the test started itself. */
export async function visit(t: Test, url: string, path: string): Promise<Page> {
  if (!existsSync(built)) throw new Error('the dashboard is not built: npm run build:dashboard')
  const browser = await chromium.launch({ executablePath: findProgram('chromium')!, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  const viewport = { width: 1440, height: 900 }
  const context = await browser.newContext({ viewport, timezoneId: 'UTC', reducedMotion: 'reduce' })
  return open(t, context, url, path)
}

async function open(t: Test, context: BrowserContext, url: string, path: string): Promise<Page> {
  await context.addInitScript(recordTexts)
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  page.on('pageerror', error => t.fail(`the page fails: ${error.message}`))
  page.on('console', message => {
    // Refused requests are answers that a test may want; anything else is not.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) t.fail(message.text())
  })
  page.on('request', request => {
    const address = request.url()
    if (!address.startsWith(`${url}/`) && !/^(blob|data):/.test(address))
      t.fail(`a request leaves the page: ${address}`)
  })
  await page.goto(`${url}/dashboard/${path}`)
  return page
}

/** Keeps a picture below test-output and holds the page to what can be checked of accessibility and width. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}/${name}.png`, caret: 'initial' })
  await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { violations } = await (
      globalThis as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } }
    ).axe.run()
    return violations.map(({ id, impact, nodes }) => ({
      id,
      impact,
      nodes: nodes.map(({ html }) => html.slice(0, 200))
    }))
  })
  const serious = found.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  t.same(serious, [], `${name}: no serious issue of accessibility`)
  const over = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  t.equal(over, 0, `${name}: nothing is wider than the window`)
}

interface Violation {
  readonly id: string
  readonly impact: string | null
  readonly nodes: readonly { readonly html: string }[]
}

/** A text on a canvas, in pixels of the canvas. */
export interface DrawnText {
  readonly text: string
  readonly left: number
  readonly right: number
}

/** Texts that stand on the canvas of a chart. */
export function drawnTexts(page: Page, label: string): Promise<readonly DrawnText[]> {
  return page
    .getByRole('figure', { name: label, exact: true })
    .first()
    .evaluate(figure => {
      const canvas = figure.querySelector('canvas') as (HTMLCanvasElement & { drawn?: DrawnText[] }) | null
      return canvas?.drawn ?? []
    })
}

/** Runs in the page: a canvas tells what was written on it. */
function recordTexts(): void {
  type Recording = HTMLCanvasElement & { drawn?: DrawnText[] }
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const { a, e } = this.getTransform()
    const width = this.measureText(text).width * a
    const at = a * x + e
    const left = this.textAlign === 'right' ? at - width : this.textAlign === 'center' ? at - width / 2 : at
    const canvas = this.canvas as Recording
    canvas.drawn ??= []
    canvas.drawn.push({ text, left, right: left + width })
    return fillText.call(this, text, x, y, ...rest)
  }
  CanvasRenderingContext2D.prototype.clearRect = function (...box) {
    const canvas = this.canvas as Recording
    canvas.drawn = []
    return clearRect.apply(this, box)
  }
}

/** Sends a statement to the server and expects success. */
export async function runSql(url: string, text: string): Promise<void> {
  const response = await fetch(`${url}/v1/sql`, { method: 'POST', body: new URLSearchParams({ sql: text }) })
  if (!response.ok) throw new Error(`${text}: ${await response.text()}`)
}

/** Puts a text into an editor. */
export async function write(page: Page, label: string, text: string): Promise<void> {
  const editor = page.getByRole('textbox', { name: label, exact: true })
  await editor.click()
  await page.keyboard.press('ControlOrMeta+A')
  // Over a selection the browser would write with the style of what was there.
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText(text)
  // Offers of completion may lie over what comes next.
  await page.keyboard.press('Escape')
}
