// Which columns of a result are drawn: the time, the numbers, and the texts that part lines. The address holds them.
import type { SqlResult } from '../../api/sql.ts'
import type { PickedColumns } from '../../components/chart/row-lines.ts'
import { isNumeric } from '../../components/data-table.tsx'
import { Menu } from '../../components/menu.tsx'
import { change, parameters } from '../../router.ts'
import { isTime } from '../../time.ts'

type Columns = SqlResult['columns']

export function pickedColumns(): PickedColumns {
  const list = (key: string) => {
    const word = parameters.value.get(key)
    return word === null ? undefined : (JSON.parse(word) as string[])
  }
  try {
    const [values, by] = [list('y'), list('by')]
    const time = parameters.value.get('x')
    return { ...(time !== null && { time }), ...(values && { values }), ...(by && { by }) }
  } catch {
    // A link that was cut off.
    return {}
  }
}

export function PickColumns({ columns }: { readonly columns: Columns }) {
  const picked = pickedColumns()
  const times = columns.filter(({ type }) => isTime(type)).map(({ name }) => name)
  const numbers = columns.filter(({ type }) => isNumeric(type)).map(({ name }) => name)
  const others = columns.filter(({ type }) => !isTime(type)).map(({ name }) => name)
  const texts = columns.filter(({ type }) => type === 'String').map(({ name }) => name)
  return (
    <div class="bar">
      {times.length > 1 && (
        <label class="bar">
          <span class="quiet">Time</span>
          <select value={picked.time ?? times[0]} onChange={event => change({ x: event.currentTarget.value }, true)}>
            {times.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
      )}
      <Several
        label="Lines"
        names={numbers}
        chosen={picked.values ?? numbers}
        onChange={names => change({ y: JSON.stringify(names) }, true)}
      />
      <Several
        label="One for each"
        names={others}
        chosen={picked.by ?? texts}
        onChange={names => change({ by: JSON.stringify(names) }, true)}
      />
    </div>
  )
}

interface SeveralProps {
  readonly label: string
  readonly names: readonly string[]
  readonly chosen: readonly string[]
  onChange(names: readonly string[]): void
}

function Several({ label, names, chosen, onChange }: SeveralProps) {
  return (
    <Menu
      title={
        <>
          <span class="quiet">{label}</span> {chosen.length === 0 ? 'none' : chosen.join(', ')}
        </>
      }
    >
      {names.map(name => (
        <label key={name}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={() => onChange(chosen.includes(name) ? chosen.filter(each => each !== name) : [...chosen, name])}
          />{' '}
          {name}
        </label>
      ))}
    </Menu>
  )
}
