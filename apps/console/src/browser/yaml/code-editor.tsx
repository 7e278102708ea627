import { memo, type Ref, useId, useRef, useState } from 'react'
import { Plain } from '../parts/plain.tsx'
import { FieldHelp } from './field-help.tsx'
import type { Problem } from './problems.ts'
import type { KindSchema } from './schema.ts'
import { SuggestionList, suggestionCount } from './suggestion-list.tsx'
import { positionAt, useCompletion } from './use-completion.ts'

interface CodeEditorProps {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly problems: readonly Problem[]
  readonly rows: number
  /** What can be written. Without it, nothing is suggested. */
  readonly schema?: KindSchema | undefined
}

/** A text with line numbers and suggestions, and below it what is wrong with which line. */
export function CodeEditor({ label, text, onText, problems, rows, schema }: CodeEditorProps) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
  const [caret, setCaret] = useState(-1)
  const [pointed, setPointed] = useState(-1)
  const { list, onTyped, onKeyDown, take, close } = useCompletion(field, schema, onText)
  const wrong = problems.flatMap(({ line }) => line ?? []).join()
  const count = text.split('\n').length
  const goTo = (line: number): void => {
    const { current } = field
    if (current === null) return
    const before = text.split('\n').slice(0, line - 1)
    const start = before.reduce((sum, each) => sum + each.length + 1, 0)
    const end = text.indexOf('\n', start)
    current.focus()
    current.setSelectionRange(start, end === -1 ? text.length : end)
  }
  const isActive = list?.active !== undefined
  return (
    <div className="editor">
      <label htmlFor={id}>{label}</label>
      <div className="editor-area">
        <div className="editor-box">
          <Gutter {...{ count, wrong }} box={gutter} />
          <textarea
            id={id}
            ref={field}
            className="mono"
            rows={rows}
            value={text}
            wrap="off"
            spellCheck={false}
            autoComplete="off"
            aria-invalid={problems.length > 0}
            aria-describedby={`${id}-problems`}
            aria-autocomplete={schema === undefined ? 'none' : 'list'}
            aria-controls={list === undefined ? undefined : `${id}-list`}
            aria-activedescendant={isActive ? `${id}-list-${list.active}` : undefined}
            onChange={({ target }) => {
              onText(target.value)
              onTyped(target)
            }}
            onKeyDown={onKeyDown}
            onBlur={close}
            onSelect={({ currentTarget }) => setCaret(currentTarget.selectionStart)}
            onMouseDown={close}
            onMouseMove={({ currentTarget, nativeEvent: { offsetX, offsetY } }) =>
              setPointed(positionAt(currentTarget, offsetX, offsetY))
            }
            onMouseLeave={() => setPointed(-1)}
            onScroll={({ currentTarget: { scrollTop } }) => {
              if (gutter.current !== null) gutter.current.scrollTop = scrollTop
              close()
            }}
          />
        </div>
        {list !== undefined && <SuggestionList id={`${id}-list`} {...list} onTake={take} />}
      </div>
      <span className="unseen" role="status">
        {suggestionCount(list?.suggestions.length)}
      </span>
      <FieldHelp text={text} position={pointed < 0 ? caret : pointed} schema={schema} />
      <ul id={`${id}-problems`} className="problems" aria-live="polite">
        {problems.map(({ message, line }) => (
          <li key={`${line} ${message}`}>
            {line !== undefined && (
              <button type="button" className="more" onClick={() => goTo(line)}>
                line {line}
              </button>
            )}{' '}
            <Plain text={message} />
          </li>
        ))}
      </ul>
    </div>
  )
}

interface GutterProps {
  readonly count: number
  /** The lines with problems, as a text: it stays the same while they do. */
  readonly wrong: string
  readonly box: Ref<HTMLDivElement>
}

/** The numbers of the lines, which most keys do not change. */
const Gutter = memo(function Gutter({ count, wrong, box }: GutterProps) {
  const lines = new Set(wrong.split(','))
  return (
    <div ref={box} className="editor-gutter" aria-hidden="true">
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line number is its position.
        <div key={index} className={lines.has(String(index + 1)) ? 'wrong' : undefined}>
          {index + 1}
        </div>
      ))}
    </div>
  )
})
