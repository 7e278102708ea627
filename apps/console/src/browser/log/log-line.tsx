import { Link } from '@tanstack/react-router'
import { memo, useState } from 'react'
import { type Look, readAnsi, type Span } from './ansi.ts'

/** More of a line is shown on request: browsers take long to lay out a line of a megabyte. */
const shownLength = 4_000

interface LogLineProps {
  readonly number: number
  readonly text: string
  readonly look: Look
}

/** A line of output, which is hostile text, with a link to it. */
export const LogLine = memo(function LogLine({ number, text, look }: LogLineProps) {
  const [length, setLength] = useState(shownLength)
  const rest = text.length - length
  const { spans } = readAnsi(rest > 0 ? text.slice(0, length) : text, look)
  return (
    <>
      <Link
        to="."
        search={(search: Record<string, unknown>) => ({ ...search, line: number })}
        replace
        className="log-number"
        aria-label={`Line ${number}`}
        tabIndex={-1}
      >
        {number}
      </Link>
      <span className="log-text" dir="ltr">
        {spans.map((span, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line never change their order.
          <span key={index} className={classOf(span)}>
            {span.text}
          </span>
        ))}
        {rest > 0 && (
          <button type="button" className="more" onClick={() => setLength(length * 4)}>
            … {rest.toLocaleString()} more characters
          </button>
        )}
      </span>
    </>
  )
})

function classOf({ look }: Span): string | undefined {
  const { foreground, background, bold, dim, italic, underline } = look
  const names = [
    foreground === undefined ? '' : `fg-${foreground}`,
    background === undefined ? '' : `bg-${background}`,
    bold ? 'bold' : '',
    dim ? 'dim' : '',
    italic ? 'italic' : '',
    underline ? 'underline' : '',
  ].filter((name) => name !== '')
  return names.length === 0 ? undefined : names.join(' ')
}
