// One dashboard: looked at, changed and saved. A link with `view=read` shows it without what changes it.
import { useMemo, useState } from 'preact/hooks'
import { type Board, readBoard, removeBoard, saveBoard } from '../../api/boards.ts'
import { Problem } from '../../components/problem.tsx'
import { TimeRange } from '../../components/time-range.tsx'
import { keepDraft, readDraft } from '../../draft.ts'
import { addressOf, change, go, parameters } from '../../router.ts'
import { database } from '../../session.ts'
import { useLoaded, useTask } from '../../task.ts'
import { currentSpan, timeWords } from '../../time.ts'
import { BoardMenu } from './board-menu.tsx'
import type { BoardDocument, Panel } from './document.ts'
import { type Draft, draftOf } from './draft.ts'
import { type Edited, Editors } from './editors.tsx'
import { Panels } from './panels.tsx'
import { useBoardMarks } from './use-board-marks.ts'
import { useVariables, VariableBar } from './variables.tsx'

/** The address of a dashboard that is not saved yet. */
export const newBoard = 'new'

const none: readonly never[] = []

export function BoardView({ id }: { readonly id: string }) {
  const { value, error } = useLoaded(async signal => (id === newBoard ? undefined : readBoard(id, { signal })), [id])
  if (error !== undefined) return <Problem error={error} />
  if (value === undefined && id !== newBoard) return <p class="empty">Loading …</p>
  return <LoadedBoard board={value} key={`${id} ${value?.revision}`} />
}

function LoadedBoard({ board: first }: { readonly board: Board | undefined }) {
  const [board, setBoard] = useState(first)
  const stored = useMemo(() => JSON.stringify(draftOf(board)), [board])
  const draftKey = `board.${board?.id ?? newBoard}`
  const [draft, showDraft] = useState<Draft>(() => JSON.parse(readDraft(draftKey) ?? stored) as Draft)
  const [edited, setEdited] = useState<Edited>()
  const saving = useTask<void>()
  const isReadOnly = parameters.value.get('view') === 'read'
  const isEditing = parameters.value.get('edit') === '1' && !isReadOnly
  const isChanged = board === undefined || JSON.stringify(draft) !== stored
  const { document } = draft
  const db = document.db ?? database.value
  const span = useMemo(() => currentSpan(), [timeWords.value])
  const variables = useVariables(document.variables, span, db)
  const marks = useBoardMarks(document.annotations ?? none, { values: variables.values, span, db })
  // Kept at once, so that leaving or reloading the page loses nothing.
  const setDraft = (next: Draft) => {
    keepDraft(draftKey, JSON.stringify(next), stored)
    showDraft(next)
  }
  const set = (changes: Partial<BoardDocument>) => setDraft({ ...draft, document: { ...document, ...changes } })
  const setPanels = (panels: readonly Panel[]) => set({ panels })

  const save = (asCopy: boolean) =>
    saving.run(async () => {
      const isNew = asCopy || board === undefined || board.shipped
      const title = asCopy || board?.shipped ? `${draft.title} (copy)` : draft.title
      const shared = isNew && board?.shipped ? false : draft.shared
      const saved = await saveBoard({ ...draft, title, shared }, isNew ? undefined : board)
      keepDraft(draftKey, '', '')
      if (isNew)
        return go(
          addressOf('boards', {
            ...Object.fromEntries(parameters.value),
            board: saved.id,
            edit: undefined,
            add: undefined,
            exemplars: undefined,
            marks: undefined
          })
        )
      setBoard(saved)
      change({ edit: undefined })
    })
  const remove = () =>
    saving.run(async () => {
      await removeBoard(board!.id)
      keepDraft(draftKey, '', '')
      go(addressOf('boards'))
    })
  const discard = () => {
    setDraft(JSON.parse(stored) as Draft)
    setEdited(undefined)
    change({ edit: undefined })
    if (board === undefined) {
      keepDraft(draftKey, '', '')
      go(addressOf('boards'))
    }
  }
  const add = () => {
    const panel: Panel = { title: '', kind: 'chart', width: 12, height: 8, queries: [{ language: 'promql', text: '' }] }
    setPanels([...document.panels, panel])
    setEdited(document.panels.length)
  }
  return (
    <>
      <div class="bar">
        {isEditing ? (
          <input
            class="title"
            aria-label="Title of the dashboard"
            value={draft.title}
            onInput={event => setDraft({ ...draft, title: event.currentTarget.value })}
          />
        ) : (
          <h1>{draft.title}</h1>
        )}
        {isChanged && !isReadOnly && <span class="quiet">not saved</span>}
        <span class="space" />
        <TimeRange />
        {!isReadOnly && (
          <>
            {isEditing && (
              <>
                <button type="button" onClick={add}>
                  Add a panel
                </button>
                <button type="button" onClick={() => setEdited('variables')}>
                  Variables
                </button>
                <button type="button" onClick={() => setEdited('annotations')}>
                  Annotations
                </button>
              </>
            )}
            {(isEditing || isChanged) && (
              <>
                <button type="button" onClick={discard}>
                  Discard
                </button>
                <button
                  type="button"
                  class="main"
                  disabled={draft.title.trim() === ''}
                  onClick={() => void save(false)}
                >
                  {board?.shipped ? 'Save a copy' : 'Save'}
                </button>
              </>
            )}
            {!isEditing && (
              <button type="button" onClick={() => change({ edit: '1' })}>
                Edit
              </button>
            )}
            <BoardMenu
              board={board}
              draft={draft}
              onShare={shared => setDraft({ ...draft, shared })}
              onCopy={() => void save(true)}
              onRemove={() => void remove()}
            />
          </>
        )}
      </div>
      {saving.error !== undefined && <Problem error={saving.error} />}
      {document.note !== undefined && <p class="quiet">{document.note}</p>}
      {marks.error !== undefined && <Problem error={marks.error} />}
      <VariableBar variables={document.variables} values={variables} />
      {document.panels.length === 0 && (
        <p class="empty">No panels yet. {isEditing ? 'Add one.' : 'Edit the dashboard to add some.'}</p>
      )}
      {variables.values !== undefined && (
        <Panels
          panels={document.panels}
          values={variables.values}
          span={span}
          db={db}
          marks={marks.value ?? none}
          edited={typeof edited === 'number' ? edited : undefined}
          {...(isEditing && { onEdit: setEdited, onChange: setPanels })}
        />
      )}
      {isEditing && <Editors document={document} edited={edited} onEdit={setEdited} onChange={set} />}
    </>
  )
}
