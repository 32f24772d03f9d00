// Actions on a dashboard: share, copy, export, link, delete.
import type { Board } from '../../api/boards.ts'
import { CopyButton } from '../../components/copy-button.tsx'
import { Menu } from '../../components/menu.tsx'
import { addressOf } from '../../router.ts'
import { save } from '../../save.ts'
import type { BoardDocument } from './document.ts'

interface BoardMenuProps {
  readonly board: Board | undefined
  readonly draft: { readonly title: string; readonly shared: boolean; readonly document: BoardDocument }
  onShare(shared: boolean): void
  onCopy(): void
  onRemove(): void
}

export function BoardMenu({ board, draft, onShare, onCopy, onRemove }: BoardMenuProps) {
  const link = () => new URL(addressOf('boards', { board: board!.id, view: 'read' }), location.href).href
  const write = () => {
    const { title, document } = draft
    const text = JSON.stringify({ title, document }, null, 2)
    save(new Blob([text], { type: 'application/json' }), `${title.replace(/[^\w-]+/g, '-')}.json`)
  }
  return (
    <Menu title="More" label="More of the dashboard">
      {close => (
        <>
          {!board?.shipped && (
            <label>
              <input type="checkbox" checked={draft.shared} onChange={() => onShare(!draft.shared)} /> Seen by all users
            </label>
          )}
          {board !== undefined && <CopyButton title="Copy a read-only link" text={link} />}
          <button type="button" onClick={write}>
            Export as JSON
          </button>
          {board !== undefined && (
            <button type="button" onClick={onCopy}>
              Save a copy
            </button>
          )}
          {board !== undefined && !board.shipped && (
            <button
              type="button"
              onClick={() => {
                if (!confirm(`Delete ${board.title}?`)) return
                close()
                onRemove()
              }}
            >
              Delete
            </button>
          )}
        </>
      )}
    </Menu>
  )
}
