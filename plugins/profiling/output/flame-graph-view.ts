// What makes a flame graph answer to its reader: zoom by click, search as one types. It runs in the picture, so it stands alone.

/** Its text is the script of the picture: nothing outside of the function may be named in it. */
export function view(script: Element | null): void {
  const svg = script?.closest('svg')
  const search = svg?.querySelector<HTMLInputElement>('input')
  const reset = svg?.querySelector<SVGElement>('.reset')
  const found = svg?.querySelector<SVGElement>('.matched')
  if (!svg || !search || !reset || !found) return
  const whole = svg.viewBox.baseVal.width
  /** Rounding of the numbers in the file. */
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

  const place = (frame: (typeof frames)[number], from: number, share: number) => {
    const width = share * whole
    const room = Math.floor((width - 6) / 7)
    frame.box.setAttribute('x', String(from * whole))
    frame.box.setAttribute('width', String(Math.max(0, width - 0.5)))
    frame.label.setAttribute('x', String(from * whole + 3))
    frame.label.textContent =
      room < 3 ? '' : frame.words.length <= room ? frame.words : `${frame.words.slice(0, room - 1)}…`
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
      if (isAbove) place(frame, 0, 1)
      else if (isInside) place(frame, (frame.from - target.from) / target.share, frame.share / target.share)
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
      // What lies below a frame that was counted is part of it.
      if (!matches || frame.from < counted - slack) continue
      sum += frame.share
      counted = frame.from + frame.share
    }
    svg.classList.toggle('searched', text !== '')
    found.textContent = text === '' ? '' : `matched ${(sum * 100).toFixed(1)} %`
  }

  for (const frame of frames) frame.element.addEventListener('click', () => zoom(frame))
  reset.addEventListener('click', () => zoom(frames[0]!))
  search.addEventListener('input', look)
  svg.addEventListener('keydown', event => {
    if (event.key !== 'Escape') return
    search.value = ''
    look()
    zoom(frames[0]!)
  })
}
