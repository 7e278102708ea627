import { Link } from '@tanstack/react-router'
import { memo, useMemo, useState } from 'react'
import { CopyButton } from '../parts/copy-button.tsx'
import { type Look, lookAfter, type Span } from './ansi.ts'
import { shownPart } from './shown-part.ts'

/** What is shown before a match in a long line. */
const beforeMatch = 200

interface LogLineProps {
  readonly number: number
  readonly text: string
  readonly look: Look
  /** What is looked for in this line. */
  readonly wanted?: string | undefined
}

/** A line of output, which is hostile text, with a link to it. */
export const LogLine = memo(function LogLine({ number, text, look, wanted }: LogLineProps) {
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
      <LineText key={wanted} {...{ text, look, wanted }} />
    </>
  )
})

function LineText({ text, look, wanted }: Omit<LogLineProps, 'number'>) {
  // Where each part began that was passed on the way to the one that is shown.
  const [starts, setStarts] = useState<readonly number[]>(() => startsFor(text, look, wanted))
  const start = starts.at(-1) ?? 0
  const startLook = useMemo(
    () => (start === 0 ? look : lookAfter(text.slice(0, start), look)),
    [text, look, start],
  )
  const { spans, end } = shownPart(text, start, startLook)
  const rest = text.length - end
  return (
    <span className="log-text" dir="ltr">
      {starts.length > 0 && (
        <button type="button" className="more" onClick={() => setStarts(starts.slice(0, -1))}>
          {start.toLocaleString()} characters before …
        </button>
      )}
      {spans.map((span, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the spans of a line never change their order.
        <span key={index} className={classOf(span)}>
          {span.text}
        </span>
      ))}
      {rest > 0 && (
        <button type="button" className="more" onClick={() => setStarts([...starts, end])}>
          … {rest.toLocaleString()} more characters
        </button>
      )}
      {(rest > 0 || starts.length > 0) && <CopyButton text={text} label="Copy the line" />}
    </span>
  )
}

/** A match behind the first part of a line is shown at the start of its part. */
function startsFor(text: string, look: Look, wanted: string | undefined): readonly number[] {
  if (wanted === undefined) return []
  const at = text.toLowerCase().indexOf(wanted.toLowerCase())
  const isShown = at + wanted.length <= shownPart(text, 0, look).end
  return isShown ? [] : [Math.max(0, at - beforeMatch)]
}

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
