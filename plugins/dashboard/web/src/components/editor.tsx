// A text editor. It lives in a shadow tree, where its styles need no permission of the page's policy.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching, defaultHighlightStyle, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  StateEffect,
  StateField,
  type Transaction,
  type TransactionSpec
} from '@codemirror/state'
import {
  Decoration,
  type DecorationSet,
  drawSelection,
  EditorView,
  keymap,
  lineNumbers,
  placeholder as placeholderText
} from '@codemirror/view'
import { tags } from '@lezer/highlight'
import { useEffect, useRef } from 'preact/hooks'
import { isDark } from '../theme.ts'

export interface EditorProps {
  readonly value: string
  /** Name of the editor for screen readers. */
  readonly label: string
  readonly placeholder?: string
  readonly language?: Extension
  /** Lines it has room for at least. */
  readonly lines?: number
  readonly hasNumbers?: boolean
  /** One line only: Enter runs it. */
  readonly isLine?: boolean
  /** Offsets of an error to underline. */
  readonly wrong?: { readonly from: number; readonly to: number } | undefined
  onChange(value: string): void
  /** Ctrl or Cmd with Enter. */
  onRun?(): void
}

const setWrong = StateEffect.define<EditorProps['wrong']>()

/** Underlined until the text changes. */
const wrongParts = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, { docChanged, effects, state }) {
    let next = docChanged ? Decoration.none : marks
    for (const effect of effects) {
      if (!effect.is(setWrong)) continue
      const { value } = effect
      const fits = value !== undefined && value.to <= state.doc.length && value.from < value.to
      next = fits ? Decoration.set(Decoration.mark({ class: 'cm-wrong' }).range(value.from, value.to)) : Decoration.none
    }
    return next
  },
  provide: field => EditorView.decorations.from(field)
})

const fromOutside = Annotation.define<boolean>()

const darkHighlight = HighlightStyle.define([
  { tag: tags.keyword, color: '#8ab4ff' },
  { tag: [tags.string, tags.special(tags.string)], color: '#9bd67f' },
  { tag: [tags.number, tags.bool, tags.null], color: '#f0a04b' },
  { tag: [tags.function(tags.variableName), tags.labelName], color: '#4cc3b8' },
  { tag: [tags.propertyName, tags.typeName], color: '#e08af0' },
  { tag: tags.comment, color: '#9fb0be', fontStyle: 'italic' },
  { tag: tags.invalid, color: '#ff8a80' }
])

const look = EditorView.theme({
  '&': { color: 'var(--text)', backgroundColor: 'var(--surface)', fontSize: '13px', height: '100%', maxHeight: '70vh' },
  '.cm-wrong': { textDecoration: 'underline wavy var(--bad)', backgroundColor: 'var(--bad-ground)' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.5' },
  '.cm-content': { caretColor: 'var(--text)', padding: '8px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--quiet)', border: 'none' },
  '.cm-selectionBackground, &.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground': {
    backgroundColor: 'var(--accent-ground)'
  },
  '.cm-placeholder': { color: 'var(--quiet)' },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', color: 'var(--text)', border: '1px solid var(--line)' },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)'
  }
})

export function Editor({
  value,
  label,
  placeholder = '',
  language = [],
  lines = 4,
  hasNumbers,
  isLine = false,
  wrong,
  onChange,
  onRun
}: EditorProps) {
  const container = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const parts = useRef({ language: new Compartment(), highlight: new Compartment() }).current
  const calls = useRef({ onChange, onRun })
  /** Texts passed to `onChange` that have not come back as `value` yet. */
  const told = useRef<string[]>([])
  calls.current = { onChange, onRun }

  useEffect(() => {
    const root = container.current!.shadowRoot ?? container.current!.attachShadow({ mode: 'open' })
    const run = () => {
      calls.current.onRun?.()
      return calls.current.onRun !== undefined
    }
    const state = EditorState.create({
      doc: value,
      extensions: [
        keymap.of([{ key: 'Mod-Enter', run }, ...(isLine ? [{ key: 'Enter', run }] : [])]),
        isLine ? EditorState.transactionFilter.of(withoutBreaks) : [],
        history(),
        drawSelection(),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...completionKeymap]),
        ...(hasNumbers ? [lineNumbers()] : []),
        placeholderText(placeholder),
        EditorView.lineWrapping,
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of(update => {
          if (!update.docChanged || update.transactions.some(each => each.annotation(fromOutside))) return
          const text = update.state.doc.toString()
          told.current.push(text)
          calls.current.onChange(text)
        }),
        look,
        EditorView.theme({ '.cm-content': isLine ? { padding: '4px 0' } : { minHeight: `${lines * 1.5 + 1.2}em` } }),
        wrongParts,
        parts.highlight.of([]),
        parts.language.of(language)
      ]
    })
    view.current = new EditorView({ state, root, parent: root })
    return () => view.current?.destroy()
  }, [])

  useEffect(() => {
    // Typed text comes back as `value` with a delay. Only a text that was never passed to `onChange` is a change from outside.
    const known = told.current.lastIndexOf(value)
    told.current = known < 0 ? [] : told.current.slice(known)
    const { current } = view
    if (known >= 0 || current === undefined || current.state.doc.toString() === value) return
    const changes = { from: 0, to: current.state.doc.length, insert: value }
    current.dispatch({ changes, annotations: fromOutside.of(true) })
  }, [value])

  useEffect(() => view.current?.dispatch({ effects: setWrong.of(wrong) }), [wrong?.from, wrong?.to])

  useEffect(() => view.current?.dispatch({ effects: parts.language.reconfigure(language) }), [language])

  useEffect(() => {
    const style = isDark.value ? darkHighlight : defaultHighlightStyle
    view.current?.dispatch({ effects: parts.highlight.reconfigure(syntaxHighlighting(style)) })
  }, [isDark.value])

  return <div class={isLine ? 'editor line' : 'editor'} ref={container} />
}

/** Pasted line breaks become blanks in an editor of one line. */
function withoutBreaks(change: Transaction): Transaction | readonly TransactionSpec[] {
  if (!change.docChanged || change.newDoc.lines === 1) return change
  const insert = change.newDoc.toString().replaceAll(/\s*\n\s*/g, ' ')
  const changes = { from: 0, to: change.startState.doc.length, insert }
  return [
    {
      changes,
      selection: { anchor: insert.length },
      annotations: fromOutside.of(change.annotation(fromOutside) ?? false)
    }
  ]
}
