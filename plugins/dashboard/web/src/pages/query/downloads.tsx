// All rows of the answer as a file.
import { useState } from 'preact/hooks'
import { brokenOff, send } from '../../api/http.ts'
import { paramsField } from '../../api/sql.ts'
import { plainValue, writeJson } from '../../cell.ts'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { csvOf } from '../../csv.ts'
import { save } from '../../save.ts'
import type { Asked } from './ask.ts'
import { seriesTable } from './series-table.ts'

const kinds = ['csv', 'json', 'arrow', 'parquet'] as const
type Kind = (typeof kinds)[number]

export function Downloads({ asked }: { readonly asked: Asked }) {
  const [busy, setBusy] = useState<Kind>()
  const [error, setError] = useState<unknown>()
  const download = async (kind: Kind) => {
    setBusy(kind)
    setError(undefined)
    try {
      save(await fileOf(asked, kind), `weir.${kind}`)
    } catch (reason) {
      setError(reason)
    }
    setBusy(undefined)
  }
  const offered = asked.language === 'sql' ? kinds : (['csv', 'json'] as const)
  return (
    <Menu title="Download">
      {offered.map(kind => (
        <button type="button" class="plain" key={kind} disabled={busy !== undefined} onClick={() => download(kind)}>
          {kind === busy ? 'Loading …' : kind[0]!.toUpperCase() + kind.slice(1)}
        </button>
      ))}
      {error !== undefined && <Problem error={error} />}
    </Menu>
  )
}

async function fileOf(asked: Asked, kind: Kind): Promise<Blob> {
  if (asked.language === 'promql') return promqlFile(asked, kind)
  const format = kind === 'csv' ? 'csvWithNames' : kind
  const form = { sql: asked.text, params: paramsField(asked.params), format }
  const response = await send('/v1/sql', { form })
  return response.blob().catch(error => {
    throw brokenOff(error)
  })
}

function promqlFile({ result }: Extract<Asked, { language: 'promql' }>, kind: Kind): Blob {
  if (kind === 'json') return new Blob([writeJson(result.series, 2)], { type: 'application/json' })
  const { columns, rows } = seriesTable(result.series)
  const body = rows.map(row => row.map((value, i) => plainValue(value, columns[i]!.type)))
  return new Blob([csvOf([columns.map(({ name }) => name), ...body])], { type: 'text/csv' })
}
