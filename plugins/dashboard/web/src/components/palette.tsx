// Dialogs above the page: the keyboard shortcuts, and a search for pages, tables and commands.
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { listBoards } from '../api/boards.ts'
import { pages } from '../pages.ts'
import { database } from '../session.ts'
import { useLoaded } from '../task.ts'
import { type Command, findCommands, loadTables } from './commands.ts'
import { letters, shown } from './keys.ts'
import './palette.css'

/** Entries shown at most. */
const maxEntries = 12

export function Palette() {
  const { value: own } = shown
  if (own === undefined) return null
  // The browser reports a closed dialog late; another one that was opened since then must stay open.
  const close = () => {
    if (shown.peek() === own) shown.value = undefined
  }
  const label = own.kind === 'keys' ? 'Keys' : 'Go to'
  return (
    <Box key={own} label={label} onClose={close}>
      {own.kind === 'keys' ? <Keys onClose={close} /> : <Commands onClose={close} />}
    </Box>
  )
}

interface Closable {
  onClose(): void
}

function Keys({ onClose }: Closable) {
  const known = pages.value.flatMap(({ name, title }) => {
    const letter = Object.keys(letters).find(each => letters[each] === name)
    return letter === undefined ? [] : [[`g ${letter}`, title]]
  })
  const rows = [
    ['Ctrl+K', 'Go to a page, a table or a dashboard by its name'],
    ['/', 'Search on this page'],
    ['Ctrl+Enter', 'Run the query'],
    ['Escape', 'Close what lies above the page'],
    ['?', 'These keys'],
    ...known
  ]
  return (
    <>
      <table class="plain">
        <tbody>
          {rows.map(([keys, text]) => (
            <tr key={keys}>
              <th scope="row">
                <kbd>{keys}</kbd>
              </th>
              <td>{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </>
  )
}

function Commands({ onClose }: Closable) {
  const [wanted, setWanted] = useState('')
  const [index, setIndex] = useState(0)
  const tables = useLoaded(signal => loadTables(database.value, signal), [database.value])
  const boards = useLoaded(signal => listBoards({ signal }), [])
  const found = findCommands(wanted, tables.value ?? [], boards.value ?? []).slice(0, maxEntries)
  const run = (command: Command | undefined) => {
    onClose()
    command?.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setIndex((index + step + found.length) % Math.max(1, found.length))
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      run(found[index])
    }
  }
  return (
    <>
      <input
        role="combobox"
        aria-label="Go to a page, a table or a dashboard"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length > 0 ? `palette-${index}` : undefined}
        placeholder="A page, a table, a dashboard, a switch"
        value={wanted}
        onKeyDown={press}
        onInput={event => {
          setWanted(event.currentTarget.value)
          setIndex(0)
        }}
      />
      <div role="listbox" id="palette-list" aria-label="Found" class="palette-list">
        {found.map((command, i) => (
          <button
            type="button"
            role="option"
            tabIndex={-1}
            key={i}
            id={`palette-${i}`}
            class="plain"
            aria-selected={i === index}
            onClick={() => run(command)}
          >
            {command.title} <span class="quiet">{command.note}</span>
          </button>
        ))}
      </div>
      {found.length === 0 && <p class="quiet">Nothing is called like this.</p>}
    </>
  )
}

/** Lies above the page; Escape and a click beside it close it, and the focus goes back. */
function Box({
  label,
  children,
  onClose
}: Closable & { readonly label: string; readonly children: ComponentChildren }) {
  const box = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const { current } = box
    current!.showModal()
    const beside = (event: MouseEvent) => event.target === current && onClose()
    current!.addEventListener('click', beside)
    return () => current!.close()
  }, [])
  return (
    <dialog class="palette" ref={box} aria-label={label} onClose={onClose}>
      <div class="stack">{children}</div>
    </dialog>
  )
}
