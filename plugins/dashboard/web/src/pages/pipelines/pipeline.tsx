// One pipeline: its versions, its text, and the difference that saving would make.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { readPipeline, removeVersion, savePipeline } from '../../api/pipelines.ts'
import { Editor } from '../../components/editor.tsx'
import { Menu } from '../../components/menu.tsx'
import { Problem } from '../../components/problem.tsx'
import { keepDraft, readDraft } from '../../draft.ts'
import { change, parameters } from '../../router.ts'
import { useTask } from '../../task.ts'
import { Difference } from './difference.tsx'
import { DryRunPart } from './dry-run.tsx'
import { pipelineLanguage } from './language.ts'
import { TableOf } from './table-of.tsx'

const starter = `version: 2
processors:
  - dissect:
      fields: [message]
      patterns:
        - '%{host} %{+host} "%{method} %{path} %{}" %{status}'
transform:
  - fields: [method, path]
    type: string
  - field: status
    type: int32
    index: tag
`

interface PipelineProps {
  /** Absent: a new one. */
  readonly name: string | undefined
  /** The newest first. */
  readonly versions: readonly string[]
  onStored(): void
}

/** State and actions of a pipeline's page. */
function usePipeline({ name, versions, onStored }: PipelineProps) {
  const isChanged = useRef(false)
  const shown = useRef<string>(undefined)
  // A draft stays when somebody else stores a new version in the meantime.
  const kept = isChanged.current ? versions.find(each => each === shown.current) : undefined
  const latest = kept ?? versions[0]
  const version = parameters.value.get('version') ?? latest
  shown.current = version
  const [stored, setStored] = useState(name === undefined ? starter : '')
  const draft = `pipeline.${name ?? ''}.${name === undefined ? '' : version}`
  const [text, setText] = useState(name === undefined ? (readDraft(draft) ?? starter) : '')
  const [newName, setNewName] = useState('')
  isChanged.current = text !== stored
  const task = useTask<string>()
  useEffect(() => {
    if (name === undefined || version === undefined) return
    void task.run(async signal => {
      const yaml = await readPipeline(name, version, signal)
      setStored(yaml)
      setText(readDraft(draft) ?? yaml)
      return ''
    })
  }, [name, version])

  const write = (changed: string) => {
    setText(changed)
    keepDraft(draft, changed, stored)
  }
  const save = () =>
    task.run(async () => {
      const target = name ?? newName.trim()
      const made = await savePipeline(target, text)
      keepDraft(draft, stored, stored)
      isChanged.current = false
      onStored()
      change({ name: target, version: undefined })
      setStored(text)
      return `Stored as version ${made}.`
    })
  const remove = () =>
    task.run(async () => {
      await removeVersion(name!, version!)
      keepDraft(draft, stored, stored)
      isChanged.current = false
      onStored()
      change({ version: undefined, ...(versions.length === 1 && { name: undefined }) })
      return `Version ${version} is removed.`
    })
  return { version, stored, text, write, newName, setNewName, task, save, remove }
}

export function Pipeline(props: PipelineProps) {
  const { name, versions } = props
  const pipeline = usePipeline(props)
  const { version, stored, text, write, task } = pipeline
  const language = useMemo(() => pipelineLanguage(), [])
  return (
    <div class="stack">
      <Bar name={name} versions={versions} pipeline={pipeline} />
      <Editor label="Pipeline" value={text} language={language} lines={14} hasNumbers onChange={write} />
      {text !== stored && (
        <p class="bar quiet" role="note">
          Not stored yet; this browser keeps it.
          <button type="button" onClick={() => write(stored)}>
            Discard
          </button>
        </p>
      )}
      {task.error !== undefined && <Problem error={task.error} />}
      {task.value && task.error === undefined && <p role="status">{task.value}</p>}
      {name !== undefined && (
        <Difference name={name} versions={versions} version={version} stored={stored} text={text} />
      )}
      <DryRunPart yaml={text} />
    </div>
  )
}

interface BarProps extends Pick<PipelineProps, 'name' | 'versions'> {
  readonly pipeline: ReturnType<typeof usePipeline>
}

function Bar({ name, versions, pipeline }: BarProps) {
  const { version, stored, text, newName, setNewName, save, remove } = pipeline
  return (
    <div class="bar">
      {name === undefined ? (
        <input
          aria-label="Name"
          placeholder="Name of the pipeline"
          value={newName}
          onInput={event => setNewName(event.currentTarget.value)}
        />
      ) : (
        <>
          <h2>{name}</h2>
          <Versions versions={versions} chosen={version} />
          {version !== undefined && (
            <Menu title="Remove this version">
              {close => (
                <>
                  <p>
                    Version {version} of {name} goes for good.
                  </p>
                  <button
                    type="button"
                    onClick={() => {
                      close()
                      void remove()
                    }}
                  >
                    Remove it
                  </button>
                  <button type="button" onClick={close}>
                    Keep it
                  </button>
                </>
              )}
            </Menu>
          )}
        </>
      )}
      <span class="space" />
      {name !== undefined && version !== undefined && <TableOf name={name} version={version} />}
      <button
        type="button"
        class="main"
        onClick={save}
        disabled={
          (name !== undefined && text === stored) || text.trim() === '' || (name === undefined && newName.trim() === '')
        }
      >
        {name === undefined ? 'Store' : 'Store as new version'}
      </button>
    </div>
  )
}

function Versions({ versions, chosen }: { readonly versions: readonly string[]; readonly chosen: string | undefined }) {
  return (
    <select
      aria-label="Version"
      value={chosen}
      onChange={event => {
        const { value } = event.currentTarget
        change({ version: value === versions[0] ? undefined : value })
      }}
    >
      {versions.map((version, i) => (
        <option key={version} value={version}>
          {version}
          {i === 0 && ' (latest)'}
        </option>
      ))}
    </select>
  )
}
