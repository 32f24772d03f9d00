// Which plugins run, and how they and their parts are.
import { TableHead } from '../../components/table-head.tsx'
import { formatTime } from '../../time.ts'

export interface Plugin extends Component {
  readonly name: string
  readonly servers: readonly string[]
  /** Its parts that report how they are. */
  readonly components?: readonly Component[]
}

interface Component {
  readonly component?: string
  readonly state?: 'starting' | 'ok' | 'degraded' | 'failed'
  readonly reason?: string
  readonly since?: string
}

export function Plugins({ plugins }: { readonly plugins: readonly Plugin[] }) {
  return (
    <section class="card stack">
      <h2>Plugins</h2>
      <table class="plain">
        <TableHead titles={['Plugin', 'Servers', 'State']} />
        <tbody>
          {plugins
            .toSorted((a, b) => (a.name < b.name ? -1 : 1))
            .flatMap(({ name, servers, components = [], ...own }) => [
              <PluginRow key={name} name={name} servers={servers.join(', ')} how={own} />,
              ...components.map(each => (
                <PluginRow
                  key={`${name}/${each.component}`}
                  name={`${name}: ${each.component}`}
                  servers=""
                  how={each}
                />
              ))
            ])}
        </tbody>
      </table>
    </section>
  )
}

interface PluginRowProps {
  readonly name: string
  readonly servers: string
  readonly how: Component
}

function PluginRow({ name, servers, how: { state, reason, since } }: PluginRowProps) {
  return (
    <tr>
      <td>{name}</td>
      <td>{servers}</td>
      <td>
        <span class={`state ${state}`}>{state}</span>
        {reason !== undefined && ` ${reason}`}
        {state !== 'ok' && since !== undefined && <span class="quiet"> since {formatTime(Date.parse(since))}</span>}
      </td>
    </tr>
  )
}
