// The dashboard page of profiles, and the script of flame graphs. One file, because neither may import another.
import type { DashboardHost } from '../services.ts'

const outputs = [
  ['flamegraph', 'Flame graph'],
  ['text', 'Text'],
  ['proto', 'pprof file']
] as const

export default function mount(element: HTMLElement, host: DashboardHost): () => void {
  const work = createWork()
  const switching = createWork()
  const result = placeholder()
  const output = chooseOutput(host)
  const refreshed: (() => void)[] = []
  const onRefresh = (load: () => void) => void refreshed.push(host.onRefresh(load))
  const parts = { host, work, switching, result, output, onRefresh }
  const cards = make('div', {}, cpuPart(parts), heapPart(parts), dumpPart(parts))
  Object.assign(cards.style, { display: 'grid', gap: 'var(--gap)' })
  cards.style.gridTemplateColumns = 'repeat(auto-fit, minmax(min(100%, 300px), 1fr))'
  const space = make('span', { className: 'space' })
  const head = make('div', { className: 'bar' }, make('h1', {}, 'Profiles'), space, labelled('Show as', output))
  element.append(head, cards, switching.state, work.state, result)
  return () => {
    work.stop()
    switching.stop()
    for (const end of refreshed) end()
  }
}

interface Parts {
  readonly host: DashboardHost
  readonly work: Work
  /** Work that may run at the same time. */
  readonly switching: Work
  readonly result: HTMLElement
  readonly output: HTMLSelectElement
  /** Called at each refresh of the page. */
  onRefresh(load: () => void): void
}

function chooseOutput({ parameters, change }: DashboardHost): HTMLSelectElement {
  const options = outputs.map(([value, title]) => make('option', { value }, title))
  const select = make('select', {}, ...options)
  select.value = parameters().get('output') ?? outputs[0][0]
  if (select.selectedIndex < 0) select.selectedIndex = 0
  select.addEventListener('change', () => change({ output: select.selectedIndex === 0 ? undefined : select.value }))
  return select
}

function cpuPart({ host, work, result, output }: Parts): HTMLElement {
  const number = (name: string, standard: number, step: string) => {
    const value = host.parameters().get(name) ?? String(standard)
    const input = make('input', { type: 'number', min: step, step, required: true, value })
    input.style.width = '7em'
    input.addEventListener('change', () =>
      host.change({ [name]: input.valueAsNumber === standard ? undefined : input.value })
    )
    return input
  }
  const seconds = number('seconds', 5, 'any')
  const frequency = number('frequency', 99, '1')
  const form = make(
    'form',
    { className: 'stack', ariaLabel: 'Processor time' },
    make('div', { className: 'bar' }, labelled('Seconds', seconds), labelled('Samples a second', frequency)),
    make('div', { className: 'bar' }, make('button', { className: 'main' }, 'Record'))
  )
  form.addEventListener('submit', event => {
    event.preventDefault()
    const query = { seconds: seconds.value, frequency: frequency.value, output: output.value }
    void work.run('Recording processor time', seconds.valueAsNumber, async signal =>
      show(result, await host.request('/debug/prof/cpu', { method: 'POST', query, db: null, signal }))
    )
  })
  return make('section', { className: 'card stack' }, make('h2', {}, 'Processor time'), form)
}

function heapPart({ host, work, switching, result, output, onRefresh }: Parts): HTMLElement {
  const request = (path: string, options = {}) =>
    host.request(`/debug/prof/mem${path}`, { method: 'POST', db: null, ...options })
  const dump = button('Dump', () =>
    work.run('Dumping the heap', 0, async signal =>
      show(result, await request('', { query: { output: output.value }, signal }))
    )
  )
  const sampling = createSwitch(switching, 'Heap profiling', {
    read: () => request('/status', { method: 'GET' }),
    turn: isOn => request(isOn ? '/activate' : '/deactivate'),
    follow(isOn) {
      dump.disabled = !isOn
    },
    done: () => Promise.all([sampling.load(), highs.load()])
  })
  const highs = createSwitch(switching, 'A dump at each memory high', {
    read: () => request('/gdump', { method: 'GET' }),
    turn: isOn => request('/gdump', { form: { activate: String(isOn) } }),
    done: () => Promise.all([sampling.load(), highs.load()])
  })
  const load = () => void switching.run('', 0, () => Promise.all([sampling.load(), highs.load()]))
  load()
  onRefresh(load)
  return make(
    'section',
    { className: 'card stack' },
    make('h2', {}, 'Heap'),
    make('div', { className: 'bar' }, sampling.element, dump),
    make('div', { className: 'bar' }, highs.element)
  )
}

interface SwitchOptions {
  /** Answers `{"active":true}`. */
  read(): Promise<Response>
  turn(isOn: boolean): Promise<Response>
  follow?(isOn: boolean): void
  /** One switch may change the other. */
  done(): Promise<unknown>
}

function createSwitch(work: Work, title: string, { read, turn, follow, done }: SwitchOptions) {
  let isOn = false
  const words = make('span', {}, title)
  const press = button('Activate', () =>
    work.run('', 0, async () => {
      await turn(!isOn)
      await done()
    })
  )
  return {
    element: make('span', { className: 'bar' }, words, press),
    async load() {
      isOn = ((await (await read()).json()) as { readonly active: boolean }).active
      words.textContent = `${title} is ${isOn ? 'on' : 'off'}.`
      press.textContent = isOn ? 'Deactivate' : 'Activate'
      press.ariaLabel = `${press.textContent} ${title.toLowerCase()}`
      follow?.(isOn)
    }
  }
}

function dumpPart({ host, work, result }: Parts): HTMLElement {
  const file = make('input', { type: 'file' })
  file.addEventListener('change', () => {
    const body = file.files?.[0]
    if (body === undefined) return
    void work.run('Drawing the dump', 0, async signal =>
      show(result, await host.request('/debug/prof/mem/symbol', { body, db: null, signal }))
    )
  })
  const what = 'Dump of the heap or pprof file'
  return make('section', { className: 'card stack' }, make('h2', {}, 'Draw a file'), labelled(what, file))
}

interface Work {
  /** Shows the running profile, or the failure. */
  readonly state: HTMLElement
  /** Replaces the running work; `seconds`: its duration, 0 if unknown. */
  run(title: string, seconds: number, work: (signal: AbortSignal) => Promise<unknown>): Promise<void>
  stop(): void
}

function createWork(): Work {
  const state = placeholder()
  let current: AbortController | undefined
  return {
    state,
    stop: () => current?.abort(),
    async run(title, seconds, work) {
      current?.abort()
      const mine = new AbortController()
      current = mine
      if (title !== '') state.replaceChildren(progress(title, seconds, mine))
      try {
        await work(mine.signal)
        if (current === mine) state.replaceChildren()
      } catch (error) {
        if (current !== mine) return
        state.replaceChildren()
        const words = error instanceof Error ? error.message : String(error)
        if (!mine.signal.aborted) state.append(make('div', { className: 'problem', role: 'alert' }, words))
      }
      mine.abort()
    }
  }
}

function progress(title: string, seconds: number, work: AbortController): HTMLElement {
  const bar = make('progress', { ariaLabel: title })
  if (seconds > 0) {
    const since = performance.now()
    const timer = setInterval(() => {
      bar.value = Math.min(1, (performance.now() - since) / 1000 / seconds)
    }, 100)
    work.signal.addEventListener('abort', () => clearInterval(timer))
  }
  const words = make('span', { role: 'status' }, `${title} …`)
  return make(
    'div',
    { className: 'card bar' },
    words,
    bar,
    button('Cancel', () => work.abort())
  )
}

async function show(result: HTMLElement, response: Response): Promise<void> {
  const type = response.headers.get('content-type') ?? ''
  const bytes = await response.blob()
  if (type.startsWith('image/svg+xml')) {
    result.replaceChildren(make('div', { className: 'bar' }, download(bytes, 'profile.svg')), draw(await bytes.text()))
  } else if (type.startsWith('text/plain')) {
    const text = make('pre', { className: 'card', tabIndex: 0 }, await bytes.text())
    result.replaceChildren(make('div', { className: 'bar' }, download(bytes, 'profile.txt')), text)
  } else {
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    const link = download(bytes, name ?? 'profile.pb.gz')
    result.replaceChildren(make('div', { className: 'bar' }, link))
    link.click()
  }
}

function download(bytes: Blob, name: string): HTMLAnchorElement {
  return make('a', { className: 'button', href: URL.createObjectURL(bytes), download: name }, `Download ${name}`)
}

/** Colours of the picture, and the dashboard colours that replace them. */
const picturesColours = [
  ['--paper', '--surface'],
  ['--ink', '--text'],
  ['--link', '--accent']
] as const

/** The dashboard blocks the picture's style and script, so its own copies are used. */
function draw(text: string): HTMLElement {
  const style = /<style>(.*?)<\/style>/s
  const bare = text.replace(style, '').replace(/<script>.*<\/script>/s, '')
  const picture = new DOMParser().parseFromString(bare, 'image/svg+xml').documentElement as unknown as SVGSVGElement
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(style.exec(text)?.[1] ?? '')
  Object.assign(picture.style, { width: '100%', minWidth: '900px', height: 'auto' })
  const card = make('div', { className: 'card' })
  card.style.overflowX = 'auto'
  // The dashboard may be dark while the system is not.
  for (const [name, from] of picturesColours) picture.style.setProperty(name, `var(${from})`)
  const root = card.attachShadow({ mode: 'open' })
  root.adoptedStyleSheets = [sheet]
  root.append(picture)
  view(picture)
  return card
}

/** A container for changing content, without layout of its own (`display: contents`). */
function placeholder(): HTMLElement {
  const element = make('div', {})
  element.style.display = 'contents'
  return element
}

function button(title: string, act: () => unknown): HTMLButtonElement {
  const element = make('button', { type: 'button' }, title)
  element.addEventListener('click', act)
  return element
}

function labelled(title: string, control: HTMLElement): HTMLElement {
  return make('label', { className: 'field' }, make('span', {}, title), control)
}

function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Partial<HTMLElementTagNameMap[K]>,
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = Object.assign(document.createElement(tag), properties)
  element.append(...children)
  return element
}

/**
 * Zooms by click or Enter, moves by arrow keys, searches while typing. Its source text is also the picture's script, so it must not refer to
 * anything outside of the function.
 */
export function view(script: Element | null): void {
  const svg = script?.closest('svg')
  const search = svg?.querySelector<HTMLInputElement>('input')
  const reset = svg?.querySelector<SVGElement>('.reset')
  const found = svg?.querySelector<SVGElement>('.matched')
  if (!svg || !search || !reset || !found) return
  const whole = svg.viewBox.baseVal.width
  /** Rounding error of numbers in the file. */
  const slack = 1e-7
  const frames = [...svg.querySelectorAll<SVGGElement>('.frame')].map(element => ({
    element,
    box: element.querySelector('rect')!,
    label: element.querySelector('text')!,
    words: element.querySelector('title')!.textContent!.split('\n')[0]!,
    from: Number(element.dataset['from']),
    share: Number(element.dataset['share']),
    depth: Number(element.dataset['depth'])
  }))

  const layOut = (frame: (typeof frames)[number], from: number, share: number) => {
    const width = share * whole
    const maxLength = Math.floor((width - 6) / 7)
    frame.box.setAttribute('x', String(from * whole))
    frame.box.setAttribute('width', String(Math.max(0, width - 0.5)))
    frame.label.setAttribute('x', String(from * whole + 3))
    frame.label.textContent =
      maxLength < 3 ? '' : frame.words.length <= maxLength ? frame.words : `${frame.words.slice(0, maxLength - 1)}…`
  }

  const zoom = (target: (typeof frames)[number]) => {
    const end = target.from + target.share
    for (const frame of frames) {
      const isWider = frame.from <= target.from + slack && frame.from + frame.share >= end - slack
      const isAbove = frame.depth < target.depth && isWider
      const isInside =
        frame.depth >= target.depth && frame.from >= target.from - slack && frame.from + frame.share <= end + slack
      frame.element.classList.toggle('outside', !isAbove && !isInside)
      frame.element.classList.toggle('above', isAbove)
      if (isAbove) layOut(frame, 0, 1)
      else if (isInside) layOut(frame, (frame.from - target.from) / target.share, frame.share / target.share)
    }
    reset.classList.toggle('outside', target === frames[0])
  }

  const look = () => {
    const text = search.value.trim().toLowerCase()
    let sum = 0
    let counted = 0
    for (const frame of frames) {
      const matches = text !== '' && frame.words.toLowerCase().includes(text)
      frame.element.classList.toggle('found', matches)
      // Frames below a counted one are part of it.
      if (!matches || frame.from < counted - slack) continue
      sum += frame.share
      counted = frame.from + frame.share
    }
    svg.classList.toggle('searched', text !== '')
    found.textContent = text === '' ? '' : `matched ${(sum * 100).toFixed(1)} %`
  }

  /** Parents precede children, from left to right. */
  const neighbour = (frame: (typeof frames)[number], key: string) => {
    const others = frames.filter(other => other === frame || !other.element.classList.contains('outside'))
    const at = others.indexOf(frame)
    const isNear = ({ depth }: typeof frame) => depth <= frame.depth
    if (key === 'ArrowDown') return others[at + 1]?.depth === frame.depth + 1 ? others[at + 1] : undefined
    if (key === 'ArrowUp') return others.slice(0, at).findLast(({ depth }) => depth < frame.depth)
    const next = key === 'ArrowRight' ? others.slice(at + 1).find(isNear) : others.slice(0, at).findLast(isNear)
    return next?.depth === frame.depth ? next : undefined
  }

  const press = (frame: (typeof frames)[number], event: KeyboardEvent) => {
    if (event.key === 'Enter') return zoom(frame)
    if (!/^Arrow(Up|Down|Left|Right)$/.test(event.key)) return
    event.preventDefault()
    const next = neighbour(frame, event.key)
    if (next === undefined) return
    frame.element.setAttribute('tabindex', '-1')
    next.element.setAttribute('tabindex', '0')
    next.element.focus()
  }

  for (const frame of frames) {
    frame.element.setAttribute('role', 'button')
    frame.element.setAttribute('tabindex', frame === frames[0] ? '0' : '-1')
    frame.element.addEventListener('click', () => zoom(frame))
    frame.element.addEventListener('keydown', event => press(frame, event))
  }
  reset.addEventListener('click', () => zoom(frames[0]!))
  search.addEventListener('input', look)
  svg.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    search.value = ''
    look()
    zoom(frames[0]!)
  })
}
