// The table a pipeline's columns amount to.
import { useState } from 'preact/hooks'
import { ddlOf } from '../../api/pipelines.ts'
import { Drawer } from '../../components/drawer.tsx'
import { Problem } from '../../components/problem.tsx'
import { useLoaded } from '../../task.ts'

export function TableOf({ name, version }: { readonly name: string; readonly version: string }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Table
      </button>
      {isOpen && <Ddl name={name} version={version} onClose={() => setOpen(false)} />}
    </>
  )
}

function Ddl({ name, version, onClose }: { readonly name: string; readonly version: string; onClose(): void }) {
  const { value, error } = useLoaded(() => ddlOf(name, name, version), [name, version])
  return (
    <Drawer title={`Table of ${name}`} onClose={onClose}>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && (
        <pre class="card" tabIndex={0}>
          {value}
        </pre>
      )}
    </Drawer>
  )
}
