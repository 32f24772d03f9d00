// Puts a text into the clipboard and says so.
import { useState } from 'preact/hooks'

export function CopyButton({ title, text }: { readonly title: string; text(): string }) {
  const [state, setState] = useState('')
  const copy = async () => {
    const done = await write(text())
    setState(done ? 'Copied' : 'The browser does not allow it')
    setTimeout(() => setState(''), 2000)
  }
  return (
    <button type="button" onClick={() => void copy()}>
      <span aria-live="polite">{state || title}</span>
    </button>
  )
}

async function write(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return writeOld(text)
  }
}

/** There is no clipboard to write to on pages without TLS. */
function writeOld(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'hidden-label'
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
