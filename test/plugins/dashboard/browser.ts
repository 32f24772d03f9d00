// Opens the dashboard of a real server in a real browser.

import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'
import { eventually, patience } from '../../eventually.ts'
import { serverFolder, startProcess } from '../../process/server.ts'
import { findProgram } from '../../programs.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const built = fileURLToPath(new URL('../../../plugins/dashboard/assets/index.html', import.meta.url))
/** Where pictures are kept. */
export const pictures = fileURLToPath(new URL('../../../test-output/dashboard', import.meta.url))

export const wide = { width: 1280, height: 800 }
export const narrow = { width: 390, height: 844 }

export interface Site {
  /** Address of the server. */
  readonly url: string
  /** With its configuration and, in `data`, what it keeps. */
  readonly folder: string
  /** Ends the server, and starts it again at the same address. */
  stop(): Promise<void>
  start(): Promise<void>
  /** A page at an address below `/dashboard/` with a storage of its own; what it complains about fails the test. */
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
  const folder = serverFolder(t, toml)
  let server = await startProcess(t, folder, { env })
  const { url } = server
  await fill?.(url)
  const browser = await launch(t)
  // A tab of a new context takes five times the processor time of one that has read the dashboard's files before.
  const tabs: Tab[] = []
  let kept: readonly Tab[] = []
  // Tabs that were opened before a part of the test stay as they are.
  t.beforeEach(() => {
    kept = tabs.filter(tab => !tab.free)
  })
  t.afterEach(async () => {
    for (const tab of tabs) {
      if (tab.free || kept.includes(tab)) continue
      await clear(tab.page)
      tab.free = true
    }
  })
  return {
    url,
    folder,
    async stop() {
      await server.kill('SIGTERM')
    },
    async start() {
      server = await startProcess(t, folder, { env: { ...env, WEIR__HTTP__ADDR: new URL(url).host } })
    },
    async open(path, { viewport = wide, dark = false, timezoneId = 'UTC' } = {}) {
      let tab = tabs.find(each => each.free && each.timezoneId === timezoneId)
      if (tab === undefined) {
        const context = await browser.newContext({ timezoneId, reducedMotion: 'reduce' })
        tab = { page: await newPage(t, context, url), timezoneId, free: false }
        tabs.push(tab)
      }
      tab.free = false
      await tab.page.setViewportSize(viewport)
      await tab.page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' })
      await tab.page.goto(`${url}/dashboard/${path}`)
      return tab.page
    }
  }
}

/** A page in a context of its own, used by one part of a test after the other. */
interface Tab {
  readonly page: Page
  readonly timezoneId: string
  free: boolean
}

/** Leaves the page and clears its storage; otherwise it would keep querying the server. */
async function clear(page: Page): Promise<void> {
  await page.context().clearPermissions()
  await page.mouse.move(0, 0)
  await page.evaluate(() => {
    localStorage.clear()
    sessionStorage.clear()
  })
  await page.goto(new URL('/v1/health', page.url()).href)
}

async function launch(t: Test): Promise<Browser> {
  const browser = await chromium.launch({ executablePath: findProgram('chromium')!, args: ['--no-sandbox'] })
  t.teardown(() => browser.close())
  return browser
}

/** A page of a server that the test started itself. */
export async function visit(t: Test, url: string, path: string): Promise<Page> {
  if (!existsSync(built)) throw new Error('the dashboard is not built: npm run build:dashboard')
  const viewport = { width: 1440, height: 900 }
  const context = await (await launch(t)).newContext({ viewport, timezoneId: 'UTC', reducedMotion: 'reduce' })
  const page = await newPage(t, context, url)
  await page.goto(`${url}/dashboard/${path}`)
  return page
}

async function newPage(t: Test, context: BrowserContext, url: string): Promise<Page> {
  await context.addInitScript(recordTexts)
  const page = await context.newPage()
  page.setDefaultTimeout(patience)
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
  return page
}

/** Keeps a picture below test-output and holds the page to what can be checked of accessibility and width. */
export async function look(t: Test, page: Page, name: string): Promise<void> {
  await page.waitForFunction(() => !document.body.innerText.includes('Loading …'))
  mkdirSync(pictures, { recursive: true })
  await page.screenshot({ path: `${pictures}/${name}.png`, caret: 'initial' })
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: Axe }
    // Without nodes of rules that hold, for which the time would double.
    const { violations } = await axe.run({ resultTypes: ['violations'] })
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

interface Axe {
  run(options: object): Promise<{ readonly violations: readonly Violation[] }>
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
export async function drawnTexts(page: Page, label: string): Promise<readonly DrawnText[]> {
  const figure = page.getByRole('figure', { name: label, exact: true }).first()
  // A chart that is just drawn anew has none.
  return eventually(
    () =>
      figure.evaluate(each => {
        const canvas = each.querySelector('canvas') as (HTMLCanvasElement & { drawn?: DrawnText[] }) | null
        return canvas?.drawn ?? []
      }),
    texts => texts.length > 0
  )
}

/** Pixels of the canvas of a chart. */
export async function canvasWidth(page: Page, label: string): Promise<number> {
  const canvas = page.getByRole('figure', { name: label, exact: true }).locator('canvas').first()
  return canvas.evaluate((each: HTMLCanvasElement) => each.width)
}

/** Statements that a page sends from now on. */
export function watchSql(page: Page): readonly URLSearchParams[] {
  const sent: URLSearchParams[] = []
  page.on('request', request => {
    if (new URL(request.url()).pathname === '/v1/sql') sent.push(new URLSearchParams(request.postData() ?? ''))
  })
  return sent
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

/** Does something until it has worked: what a page is just drawing anew takes no notice of a mouse or a key. */
export async function until(act: () => Promise<unknown>, hasWorked: () => Promise<boolean>): Promise<void> {
  await eventually(async () => {
    await act()
    return hasWorked()
  })
}

const holds = {
  equal: Object.is,
  same: isDeepStrictEqual,
  strictSame: isDeepStrictEqual,
  match: matches,
  notMatch: (found: unknown, wanted: unknown) => !matches(found, wanted),
  not: (found: unknown, wanted: unknown) => !Object.is(found, wanted)
}

/** As tap matches, for what pages show. */
function matches(found: unknown, wanted: unknown): boolean {
  if (wanted instanceof RegExp) return wanted.test(String(found))
  if (typeof wanted === 'string') return String(found).includes(wanted)
  if (typeof wanted !== 'object' || wanted === null) return Object.is(found, wanted)
  return Object.entries(wanted).every(([key, value]) => matches((found as Record<string, unknown>)?.[key], value))
}

/**
 * Assertions of tap about what a page shows, read again until they hold: a page is drawn some time after the key, the click or the answer
 * that changes it. Of what never holds the last value fails the test.
 */
export function shows(t: Test) {
  const settled = async (read: Read, isWanted: (found: unknown) => boolean) => {
    let last: unknown
    await eventually(async () => {
      last = await read()
      return isWanted(last)
    }).catch(() => {})
    return last
  }
  const compared =
    (kind: keyof typeof holds) =>
    async (read: Read, wanted: unknown, message?: string): Promise<boolean> => {
      const found = await settled(read, each => holds[kind](each, wanted))
      return message === undefined ? t[kind](found, wanted) : t[kind](found, wanted, message)
    }
  return {
    equal: compared('equal'),
    same: compared('same'),
    strictSame: compared('strictSame'),
    match: compared('match'),
    notMatch: compared('notMatch'),
    not: compared('not'),
    ok: async (read: Read, message = 'true') => t.ok(await settled(read, Boolean), message),
    notOk: async (read: Read, message = 'false') => t.notOk(await settled(read, found => !found), message)
  }
}

type Read = () => unknown

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
