// All rows of the answer as a file.
import { useState } from 'preact/hooks'
import { send } from '../../api/http.ts'
import { sql } from '../../api/sql.ts'
import { writeJson } from '../../components/data-table.tsx'
import { Problem } from '../../components/problem.tsx'
import { isTime, readTicks } from '../../time.ts'
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
    <details class="menu">
      <summary>Download</summary>
      <div class="sheet">
        {offered.map(kind => (
          <button type="button" class="plain" key={kind} disabled={busy !== undefined} onClick={() => download(kind)}>
            {kind === busy ? 'Loading …' : kind[0]!.toUpperCase() + kind.slice(1)}
          </button>
        ))}
        {error !== undefined && <Problem error={error} />}
      </div>
    </details>
  )
}

async function fileOf(asked: Asked, kind: Kind): Promise<Blob> {
  if (asked.language === 'promql') return promqlFile(asked, kind)
  if (kind === 'parquet') return parquetFile(asked.text)
  const response = await send('/v1/sql', { form: { sql: asked.text, format: kind === 'csv' ? 'csvWithNames' : kind } })
  return response.blob()
}

function promqlFile({ result }: Extract<Asked, { language: 'promql' }>, kind: Kind): Blob {
  if (kind === 'json') return new Blob([writeJson(result.series, 2)], { type: 'application/json' })
  const { columns, rows } = seriesTable(result.series)
  const lines = [columns.map(({ name }) => name), ...rows].map(row => row.map(csvField).join(','))
  return new Blob([`${lines.join('\n')}\n`], { type: 'text/csv' })
}

function csvField(value: unknown): string {
  const text = String(value)
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

async function parquetFile(text: string): Promise<Blob> {
  const [{ parquetWriteBuffer }, { columns, rows }] = await Promise.all([import('hyparquet-writer'), sql(text)])
  const columnData = columns.map(({ name, type }, i) => {
    const values = rows.map(row => row[i] ?? null)
    if (/^U?Int(8|16|32)$/.test(type)) return { name, data: values, type: 'INT32' as const, nullable: true }
    if (/^U?Int64$/.test(type)) return { name, data: values.map(toBigInt), type: 'INT64' as const, nullable: true }
    if (/^Float/.test(type)) return { name, data: values.map(toNumber), type: 'DOUBLE' as const, nullable: true }
    if (type === 'Boolean') return { name, data: values, type: 'BOOLEAN' as const, nullable: true }
    if (isTime(type)) {
      const dates = values.map(value => (value === null ? null : new Date(readTicks(value, type))))
      return { name, data: dates, type: 'TIMESTAMP' as const, nullable: true }
    }
    const texts = values.map(value =>
      value === null ? null : typeof value === 'object' ? writeJson(value) : String(value)
    )
    return { name, data: texts, type: 'STRING' as const, nullable: true }
  })
  return new Blob([parquetWriteBuffer({ columnData })], { type: 'application/vnd.apache.parquet' })
}

function toBigInt(value: unknown): bigint | null {
  return value === null ? null : BigInt(value as number | bigint)
}

function toNumber(value: unknown): number | null {
  return value === null ? null : Number(value)
}

function save(blob: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(blob)
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
