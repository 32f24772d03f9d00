// The document of a dashboard, as it is saved.
import type { Style } from '../../components/chart/index.tsx'
import type { Annotation } from '../../components/use-marks.ts'
import type { Unit } from '../../units.ts'

export type Language = 'promql' | 'sql' | 'logs'
export type PanelKind = 'row' | 'chart' | 'stat' | 'table' | 'logs' | 'text'

/** `heat map` is for histograms; it is also their default. */
export type PanelStyle = Style | 'heat map'

export interface PanelQuery {
  readonly language: Language
  /** Of `logs`: a table, and words its lines hold. */
  readonly text: string
  /** Names series: `{{job}}`. */
  readonly legend?: string
}

export interface Panel {
  readonly title: string
  readonly kind: PanelKind
  /** Of 24. */
  readonly width: number
  /** Of some 30 pixels. */
  readonly height: number
  readonly queries: readonly PanelQuery[]
  readonly unit?: Unit
  readonly style?: PanelStyle
  readonly stacked?: boolean
  /** Dots that lead to traces. */
  readonly exemplars?: boolean
  /** Of `text`. */
  readonly text?: string
}

export interface Variable {
  readonly name: string
  readonly label?: string
  readonly kind: 'promql' | 'sql' | 'custom' | 'text'
  /** `label_values(metric, label)`, a statement, values with commas between them, or a text. */
  readonly query: string
  readonly multi?: boolean
  readonly all?: boolean
}

export interface BoardDocument {
  /** Prerequisites, for the reader. */
  readonly note?: string
  /** The database to query, where it is not the chosen one. */
  readonly db?: string
  readonly variables: readonly Variable[]
  /** Lines across all charts. */
  readonly annotations?: readonly Annotation[]
  readonly panels: readonly Panel[]
}

export const kinds: readonly PanelKind[] = ['chart', 'stat', 'table', 'logs', 'text', 'row']
export const languages: readonly Language[] = ['promql', 'sql', 'logs']
export const units: readonly Unit[] = [
  'none',
  'count',
  'bytes',
  'seconds',
  'ratio',
  'percent',
  'perSecond',
  'bytesPerSecond'
]
export const styles: readonly PanelStyle[] = ['lines', 'area', 'bars', 'points', 'heat map']
const variableKinds: readonly Variable['kind'][] = ['promql', 'sql', 'custom', 'text']

type Loose = Readonly<Record<string, unknown>>

/** Whatever was saved or imported, with sense made of it. */
export function readDocument(value: unknown): BoardDocument {
  const { note, db, variables, annotations, panels } = loose(value)
  const happened = listOf(annotations).flatMap(readAnnotation)
  return {
    ...(typeof note === 'string' && { note }),
    ...(typeof db === 'string' && db !== '' && { db }),
    variables: listOf(variables).flatMap(readVariable),
    ...(happened.length > 0 && { annotations: happened }),
    panels: listOf(panels).map(readPanel)
  }
}

function readPanel(value: Loose): Panel {
  const kind = oneOf(kinds, value['kind'], 'chart')
  const { unit, style, stacked, exemplars, text } = value
  return {
    title: textOf(value['title']),
    kind,
    width: kind === 'row' ? 24 : within(value['width'], 12, 3, 24),
    height: kind === 'row' ? 1 : within(value['height'], 8, 2, 40),
    queries: listOf(value['queries']).map(query => ({
      language: oneOf(languages, query['language'], 'promql'),
      text: textOf(query['text']),
      ...(typeof query['legend'] === 'string' && query['legend'] !== '' && { legend: query['legend'] })
    })),
    ...(units.includes(unit as Unit) && { unit: unit as Unit }),
    ...(styles.includes(style as PanelStyle) && { style: style as PanelStyle }),
    ...(stacked === true && { stacked }),
    ...(exemplars === true && { exemplars }),
    ...(typeof text === 'string' && { text })
  }
}

function readVariable(value: Loose): Variable[] {
  const name = textOf(value['name'])
  if (!/^\w+$/.test(name)) return []
  const kind = oneOf(variableKinds, value['kind'], 'custom')
  const { label, multi, all } = value
  return [
    {
      ...{ name, kind },
      query: textOf(value['query']),
      ...(typeof label === 'string' && label !== '' && { label }),
      ...(multi === true && { multi }),
      ...(all === true && { all })
    }
  ]
}

function readAnnotation(value: Loose): Annotation[] {
  const [text, title] = [textOf(value['text']), textOf(value['title'])]
  return text.trim() === '' ? [] : [{ text, ...(title !== '' && { title }) }]
}

export function loose(value: unknown): Loose {
  return typeof value === 'object' && value !== null ? (value as Loose) : {}
}

export function listOf(value: unknown): readonly Loose[] {
  return Array.isArray(value) ? value.map(loose) : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function oneOf<T extends string>(all: readonly T[], value: unknown, other: T): T {
  return all.includes(value as T) ? (value as T) : other
}

function within(value: unknown, other: number, min: number, max: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(max, Math.max(min, Math.round(value))) : other
}
