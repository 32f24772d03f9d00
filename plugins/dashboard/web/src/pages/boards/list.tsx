// The list of dashboards: the user's own, shared ones, and those shipped with the server.
import { useState } from 'preact/hooks'
import { type BoardFacts, listBoards, saveBoard } from '../../api/boards.ts'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { Refresh } from '../../components/refresh.tsx'
import { SearchBox } from '../../components/search-box.tsx'
import { addressOf, go } from '../../router.ts'
import { useLoaded, useTask } from '../../task.ts'
import { formatTime, timeWords } from '../../time.ts'
import { newBoard } from './board.tsx'
import { readImport } from './grafana.ts'

export function BoardList() {
  const { value, error } = useLoaded(signal => listBoards({ signal }), [timeWords.value])
  const [wanted, setWanted] = useState('')
  const found = (value ?? []).filter(({ title }) => title.toLowerCase().includes(wanted.toLowerCase()))
  return (
    <>
      <div class="bar">
        <h1>Dashboards</h1>
        <span class="space" />
        <Refresh />
        <Import />
        <a class="button" href={addressOf('boards', { board: newBoard, edit: '1' })}>
          New dashboard
        </a>
      </div>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && (
        <>
          <div class="bar">
            <SearchBox label="Search dashboards" value={wanted} onChange={setWanted} />
          </div>
          <Part title="Saved" boards={found.filter(({ shipped }) => !shipped)} empty="None yet." />
          <Part
            title="With the server"
            boards={found.filter(({ shipped }) => shipped)}
            empty="None is called like that."
          />
        </>
      )}
    </>
  )
}

interface PartProps {
  readonly title: string
  readonly boards: readonly BoardFacts[]
  readonly empty: string
}

function Part({ title, boards, empty }: PartProps) {
  return (
    <section class="card stack" aria-label={title}>
      <h2>{title}</h2>
      {boards.length === 0 && <p class="quiet">{empty}</p>}
      <ul class="board-list">
        {boards.map(({ id, title, owner, shared, shipped, updated }) => (
          <li key={id}>
            <a href={addressOf('boards', { board: id })}>{title}</a>
            {!shipped && (
              <span class="quiet">
                {shared ? `${owner}, for all` : `${owner} alone`}, {formatTime(Math.floor(updated / 1000) * 1000)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

function Import() {
  const [text, setText] = useState('')
  const [notes, setNotes] = useState<readonly string[]>([])
  const [made, setMade] = useState<string>()
  const task = useTask<void>()
  const take = (source: string) =>
    task.run(async () => {
      setNotes([])
      const { title, document, notes } = readImport(source)
      const { id } = await saveBoard({ title, document, shared: false })
      if (notes.length === 0) return go(addressOf('boards', { board: id }))
      setNotes(notes)
      setMade(id)
    })
  return (
    <Menu title="Import" class="import">
      <label class="field">
        <span>File with a dashboard of this server or of Grafana</span>
        <input
          type="file"
          accept=".json,application/json"
          onChange={async event => {
            const [file] = event.currentTarget.files ?? []
            if (file) await take(await file.text())
          }}
        />
      </label>
      <label class="field">
        <span>or its JSON</span>
        <textarea rows={5} value={text} onInput={event => setText(event.currentTarget.value)} />
      </label>
      <button type="button" disabled={text.trim() === ''} onClick={() => void take(text)}>
        Import
      </button>
      {task.error !== undefined && <Problem error={task.error} />}
      {notes.length > 0 && (
        <div class="warning" role="status">
          <ul>
            {notes.map(note => (
              <li key={note}>{note}</li>
            ))}
          </ul>
          <a href={addressOf('boards', { board: made })}>Show the dashboard</a>
        </div>
      )}
    </Menu>
  )
}
