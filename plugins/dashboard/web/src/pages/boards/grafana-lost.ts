// Lists features of Grafana panels that an import loses.
import { listOf, loose, type Panel, type PanelKind, textOf } from './document.ts'

export const units: Readonly<Record<string, Panel['unit']>> = {
  bytes: 'bytes',
  decbytes: 'bytes',
  s: 'seconds',
  percent: 'percent',
  percentunit: 'ratio',
  reqps: 'perSecond',
  ops: 'perSecond',
  cps: 'perSecond',
  rps: 'perSecond',
  wps: 'perSecond',
  Bps: 'bytesPerSecond',
  binBps: 'bytesPerSecond'
}

/** Features of a Grafana panel that have no counterpart here. */
export function lostOf(panel: ReturnType<typeof loose>, kind: PanelKind): string[] {
  const config = loose(panel['fieldConfig'])
  const defaults = loose(config['defaults'])
  const custom = loose(defaults['custom'])
  const steps = listOf(loose(defaults['thresholds'])['steps'])
  const isColoured = kind === 'chart' ? !['', 'off'].includes(textOf(loose(custom['thresholdsStyle'])['mode'])) : true
  const calcs = loose(loose(panel['options'])['reduceOptions'])['calcs']
  const reducers = (Array.isArray(calcs) ? calcs.map(String) : []).filter(each => !/^last(NotNull)?$/.test(each))
  const transformations = listOf(panel['transformations']).map(each => textOf(each['id']))
  const unit = textOf(defaults['unit'])
  const has = (value: unknown) => listOf(value).length > 0
  return [
    ...(steps.length > 1 && isColoured ? ['thresholds'] : []),
    ...(kind === 'stat' && reducers.length > 0 ? [`reducer ${reducers.join(', ')} (it shows the last value)`] : []),
    ...(transformations.length > 0 ? [`transformations ${transformations.join(', ')}`] : []),
    ...(has(config['overrides']) ? ['overrides of single fields'] : []),
    ...(has(defaults['mappings']) ? ['names of values'] : []),
    ...(unit !== '' && unit !== 'short' && unit !== 'none' && units[unit] === undefined ? [`unit ${unit}`] : []),
    ...(panel['alert'] ? ['alert'] : []),
    ...(panel['timeFrom'] || panel['timeShift'] ? ['time of its own'] : []),
    ...(has(panel['links']) ? ['links'] : [])
  ]
}
