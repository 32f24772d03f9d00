// Reads dashboards of Grafana: rows, time series, heat maps, stat, table, logs and text panels, variables and annotations. What is left out is told.
import {
  type BoardDocument,
  listOf,
  loose,
  type Panel,
  type PanelKind,
  type PanelQuery,
  readDocument,
  textOf
} from './document.ts'
import { lostOf, units } from './grafana-lost.ts'

interface Imported {
  readonly title: string
  readonly document: BoardDocument
  readonly notes: readonly string[]
}

type Loose = ReturnType<typeof loose>

const kinds: Readonly<Record<string, PanelKind>> = {
  row: 'row',
  timeseries: 'chart',
  graph: 'chart',
  barchart: 'chart',
  heatmap: 'chart',
  stat: 'stat',
  singlestat: 'stat',
  gauge: 'stat',
  bargauge: 'stat',
  table: 'table',
  'table-old': 'table',
  logs: 'logs',
  text: 'text'
}

/** Reads a dashboard of this program or of Grafana. Throws Error for anything else. */
export function readImport(text: string): Imported {
  let value: Loose
  try {
    value = loose(JSON.parse(text))
  } catch (error) {
    throw new Error(`This is not JSON: ${(error as Error).message}`)
  }
  // Grafana's API wraps what its own export does not.
  const inner = 'dashboard' in value ? loose(value['dashboard']) : value
  if ('document' in inner) {
    return { title: textOf(inner['title']) || 'Imported', document: readDocument(inner['document']), notes: [] }
  }
  if (!Array.isArray(inner['panels']) && !Array.isArray(inner['rows']))
    throw new Error('This is not a dashboard: it has no panels.')
  return readGrafana(inner)
}

function readGrafana(value: Loose): Imported {
  const notes: string[] = []
  // Dashboards of long ago have rows that hold their panels.
  const rows = listOf(value['rows']).flatMap(row => [{ ...row, type: 'row' } as Loose])
  const panels = [...rows, ...listOf(value['panels'])]
    .toSorted((a, b) => gridNumber(a, 'y') - gridNumber(b, 'y') || gridNumber(a, 'x') - gridNumber(b, 'x'))
    .flatMap(panel => readPanel(panel, notes))
  const variables = listOf(loose(value['templating'])['list']).flatMap(each => readVariable(each, notes))
  const annotations = listOf(loose(value['annotations'])['list']).flatMap(each => readAnnotation(each, notes))
  const document = readDocument({ variables, annotations, panels })
  return { title: textOf(value['title']) || 'Imported', document, notes: [...new Set(notes)] }
}

function gridNumber(panel: Loose, key: 'x' | 'y' | 'w' | 'h'): number {
  const found = loose(panel['gridPos'])[key]
  return typeof found === 'number' ? found : 0
}

function readPanel(panel: Loose, notes: string[]): Panel[] {
  const title = textOf(panel['title'])
  const type = textOf(panel['type'])
  const kind = kinds[type]
  if (kind === undefined) {
    notes.push(`${title || 'A panel'} is left out: there is no panel like ${type}`)
    return []
  }
  if (kind === 'row') {
    // A row that is folded holds its panels.
    const inner = listOf(panel['panels']).flatMap(each => readPanel(each, notes))
    return [{ title, kind, width: 24, height: 1, queries: [] }, ...inner]
  }
  if (panel['repeat']) notes.push(`${title} is there once: panels are not repeated`)
  const config = loose(panel['fieldConfig'])
  const defaults = loose(config['defaults'])
  const custom = loose(defaults['custom'])
  const stacking = textOf(loose(custom['stacking'])['mode'])
  const unit = units[textOf(defaults['unit'])]
  const isBars = custom['drawStyle'] === 'bars' || type === 'barchart' || panel['bars'] === true
  const isArea = Number(custom['fillOpacity'] ?? 0) >= 20
  const lost = lostOf(panel, kind)
  const queries = listOf(panel['targets']).flatMap(target => readTarget(target, kind, title, notes))
  if (queries.length === 0 && kind !== 'text') {
    notes.push(`${title || 'A panel'} is left out: it asks neither PromQL nor SQL`)
    return []
  }
  if (lost.length > 0) notes.push(`${title || 'A panel'} is without its ${lost.join(', ')}`)
  return [
    {
      ...{ title, kind, queries },
      width: gridNumber(panel, 'w') || 12,
      height: gridNumber(panel, 'h') || 8,
      ...(unit && { unit }),
      ...(kind === 'chart' && { style: type === 'heatmap' ? 'heat map' : isBars ? 'bars' : isArea ? 'area' : 'lines' }),
      ...(listOf(panel['targets']).some(target => target['exemplar'] === true) && { exemplars: true }),
      ...((stacking === 'normal' || panel['stack'] === true) && { stacked: true }),
      ...(kind === 'text' && { text: textOf(loose(panel['options'])['content']) || textOf(panel['content']) })
    }
  ]
}

/** Annotations with PromQL. The built-in one that every dashboard has shows no data. */
function readAnnotation(annotation: Loose, notes: string[]): Loose[] {
  if (annotation['builtIn'] === 1) return []
  const title = textOf(annotation['name'])
  const text = textOf(annotation['expr']) || textOf(loose(annotation['target'])['expr'])
  const source = annotation['datasource']
  const type = textOf(loose(source)['type'])
  if (text === '' || (type !== '' && type !== 'prometheus')) {
    notes.push(`The annotation ${title} is left out: it asks no PromQL`)
    return []
  }
  if (annotation['enable'] === false) {
    notes.push(`The annotation ${title} is left out: it is turned off`)
    return []
  }
  // Grafana marks values other than zero, this program every value.
  const isComparison = /(==|!=|[<>]=?)\s*-?[\d.]+\s*$/.test(text)
  return [{ title: textOf(annotation['titleFormat']) || title, text: isComparison ? text : `(${text}) != 0` }]
}

function readTarget(target: Loose, kind: PanelKind, title: string, notes: string[]): PanelQuery[] {
  if (target['hide'] === true) return []
  const sql = textOf(target['rawSql'])
  if (sql !== '') return [{ language: 'sql', text: sql }]
  const text = textOf(target['expr'])
  if (text === '') return []
  if (kind === 'logs') {
    notes.push(`${title} is left out: its query of logs is in another language`)
    return []
  }
  const legend = textOf(target['legendFormat'])
  return [{ language: 'promql', text, ...(legend !== '' && legend !== '__auto' && { legend }) }]
}

function readVariable(variable: Loose, notes: string[]): Loose[] {
  const name = textOf(variable['name'])
  const type = textOf(variable['type'])
  const query = typeof variable['query'] === 'string' ? variable['query'] : textOf(loose(variable['query'])['query'])
  const more = { label: variable['label'], multi: variable['multi'], all: variable['includeAll'] }
  if (type === 'query') {
    const isSql = /^\s*(select|with)\b/i.test(query)
    return [{ ...more, name, query, kind: isSql ? 'sql' : 'promql' }]
  }
  if (type === 'custom' || type === 'constant' || type === 'interval') return [{ ...more, name, query, kind: 'custom' }]
  if (type === 'textbox') return [{ ...more, name, query, kind: 'text' }]
  if (type !== 'datasource') notes.push(`The variable ${name} is left out: there is none of the type ${type}`)
  return []
}
