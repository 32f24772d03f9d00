// The rows of an answer page by page; the address says which one.
import { useMemo } from 'preact/hooks'
import { type KeptRows, pageRows } from '../../api/kept-rows.ts'
import type { SqlResult } from '../../api/sql.ts'
import { Problem } from '../../components/problem.tsx'
import { change, parameters } from '../../router.ts'
import { useLoaded } from '../../task.ts'
import { type Asked, isWhole } from './ask.ts'

interface ShownPage {
  /** With the rows of the page. */
  readonly asked: Asked
  /** From 0. */
  readonly page: number
}

/** The page of rows in the address. While it loads the previous one is shown; beyond the end, the last one. */
export function useShownPage(asked: Asked): ShownPage {
  const kept = asked.language === 'sql' ? asked.kept : undefined
  const wanted = Math.max(0, Math.trunc(Number(parameters.value.get('page'))) || 0)
  const page = kept === undefined ? 0 : Math.min(wanted, lastPage(kept))
  const { value } = useLoaded(async () => pageOf(kept, page), [kept, page])
  return useMemo(() => {
    if (asked.language !== 'sql' || value === undefined || value.kept !== kept) return { asked, page: 0 }
    return { asked: { ...asked, result: { ...asked.result, rows: value.rows } }, page: value.page }
  }, [asked, value])
}

interface LoadedPage {
  readonly kept: KeptRows
  readonly page: number
  readonly rows: SqlResult['rows']
}

async function pageOf(kept: KeptRows | undefined, page: number): Promise<LoadedPage | undefined> {
  return kept === undefined || page === 0 ? undefined : { kept, page, rows: await kept.page(page) }
}

function lastPage({ progress }: KeptRows): number {
  return Math.max(0, Math.ceil(progress.value.rows / pageRows) - 1)
}

/** Which of the rows are shown; nothing where they are all there are. */
export function wordsOfPage({ asked, page }: ShownPage, shown: number): string {
  if (asked.language === 'promql' || isWhole(asked, shown)) return ''
  if (asked.kept === undefined) return `, the first ${shown.toLocaleString('en')}; a download has all`
  const { rows, state } = asked.kept.progress.value
  const first = page * pageRows
  const [from, to, of] = [first + 1, first + shown, rows].map(each => each.toLocaleString('en'))
  return `, rows ${from} to ${to} of ${of}${endings[state]}`
}

const endings = {
  coming: ', and more to come',
  whole: '',
  full: ' that are kept here; a download has all',
  stopped: ' that had come',
  failed: ' that had come'
} as const

/** Buttons to change the page of rows, and to stop loading further ones. */
export function RowPages({ asked, page }: ShownPage) {
  if (asked.language === 'promql' || asked.kept === undefined) return null
  const { kept } = asked
  const { rows, state, error } = kept.progress.value
  const last = lastPage(kept)
  const go = (to: number) => change({ page: to <= 0 ? undefined : String(Math.min(to, last)) })
  return (
    <>
      {rows > pageRows && (
        <span class="joined">
          <button type="button" disabled={page === 0} onClick={() => go(page - 1)}>
            Rows before
          </button>
          <input
            type="number"
            aria-label={`Page of ${last + 1}`}
            min={1}
            max={last + 1}
            value={page + 1}
            onChange={event => go(Math.trunc(Number(event.currentTarget.value)) - 1 || 0)}
          />
          <button type="button" disabled={page >= last} onClick={() => go(page + 1)}>
            Next rows
          </button>
        </span>
      )}
      {state === 'coming' && (
        <button type="button" title="Give up the rows that are still to come" onClick={kept.stop}>
          Stop
        </button>
      )}
      {error !== undefined && <Problem error={error} />}
    </>
  )
}
