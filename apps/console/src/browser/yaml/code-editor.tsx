import { memo, type Ref, useId, useRef } from 'react'
import { Plain } from '../parts/plain.tsx'
import type { Problem } from './problems.ts'

interface CodeEditorProps {
  readonly label: string
  readonly text: string
  readonly onText: (text: string) => void
  readonly problems: readonly Problem[]
  readonly rows: number
}

/** A text with line numbers, and below it what is wrong with which line. */
export function CodeEditor({ label, text, onText, problems, rows }: CodeEditorProps) {
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  const gutter = useRef<HTMLDivElement>(null)
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
  return (
    <div className="editor">
      <label htmlFor={id}>{label}</label>
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
          onChange={(event) => onText(event.target.value)}
          onScroll={({ currentTarget: { scrollTop } }) => {
            if (gutter.current !== null) gutter.current.scrollTop = scrollTop
          }}
        />
      </div>
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
