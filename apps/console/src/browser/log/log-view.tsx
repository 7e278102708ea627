import type { RunKey } from '@agents/client'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useDeferredValue, useEffect, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { FailureNotice, Notice } from '../parts/notice.tsx'
import type { LogState } from './follow-log.ts'
import { LogLine } from './log-line.tsx'
import { LogSearch } from './log-search.tsx'
import { partLength } from './shown-part.ts'
import { useFoundLines } from './use-found-lines.ts'
import { useLog } from './use-log.ts'

interface LogViewProps {
  readonly runKey: RunKey
  readonly isFinished: boolean
  /** The line that the address names, from 1. */
  readonly line: number | undefined
}

const lineHeight = 19
const nearEnd = 40

/** Of the font and of the number before each line. */
const letterWidth = 7.2
const numberWidth = 76

/** The output of a run: live, searchable, any length. */
export function LogView({ runKey, isFinished, line }: LogViewProps) {
  const { buffer, version, state } = useLog(runKey, isFinished)
  const scroller = useRef<HTMLDivElement>(null)
  const [isFollowing, setFollowing] = useState(line === undefined && !isFinished)
  const [text, setText] = useState('')
  // The match that the reader has gone to, which may not be found yet.
  const [goal, setGoal] = useState<number>()
  const wanted = useDeferredValue(text)
  const { lines: found, isSearching } = useFoundLines(buffer, version, wanted)
  const width = (scroller.current?.clientWidth ?? 1000) - numberWidth
  const columns = Math.max(20, width / letterWidth)
  const virtualizer = useVirtualizer({
    count: buffer.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => lineHeight * rowsOf(buffer.lengthOf(index), columns),
    overscan: 8,
  })
  const count = buffer.length
  useEffect(() => {
    if (isFollowing && count > 0) virtualizer.scrollToIndex(count - 1, { align: 'end' })
  }, [isFollowing, count, virtualizer])
  const hasLine = line !== undefined && line <= count
  useEffect(() => {
    if (hasLine) virtualizer.scrollToIndex(line - 1, { align: 'center' })
  }, [hasLine, line, virtualizer])
  const match = goal ?? 0
  const target = goal === undefined || wanted !== text ? undefined : found[goal]
  useEffect(() => {
    if (target === undefined) return
    setFollowing(false)
    virtualizer.scrollToIndex(target, { align: 'center' })
  }, [target, virtualizer])
  const step = (by: number): void => {
    const isKnown = found.length > 0 && wanted === text
    if (goal === undefined || !isKnown) setGoal(by < 0 && isKnown ? found.length - 1 : 0)
    else setGoal((goal + by + found.length) % found.length)
  }
  return (
    <section className="log" aria-label="Log">
      <div className="log-head">
        <LogSearch
          text={text}
          onText={(next) => {
            setText(next)
            setGoal(undefined)
          }}
          found={wanted !== text || (isSearching && found.length === 0) ? undefined : found.length}
          match={match}
          onStep={step}
        />
        <span className="quiet" role="status" data-log-state={state.state}>
          {stateText(state)} · {count.toLocaleString()} lines
        </span>
        <Button pressed={isFollowing} onClick={() => setFollowing(!isFollowing)}>
          Follow
        </Button>
      </div>
      {state.state === 'failed' && (
        <FailureNotice what="There is no log to show:" error={state.failure} />
      )}
      {state.state === 'notKept' && <NoLog why="its pods are deleted, and they stored no output" />}
      {state.state === 'lost' && (
        <Notice tone="wait">
          The log is cut: {state.reason}. It continues when the server answers.
        </Notice>
      )}
      <section
        ref={scroller}
        className="log-lines"
        aria-label="Lines of the log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard.
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          if (isFollowing && scrollHeight - scrollTop - clientHeight > nearEnd * 4) {
            setFollowing(false)
          }
        }}
      >
        <div className="log-body" style={{ height: virtualizer.getTotalSize() }}>
          {virtualizer.getVirtualItems().map(({ index, start, key }) => (
            <div
              key={key}
              ref={virtualizer.measureElement}
              data-index={index}
              className={lineClass(index, line, found[match], wanted)}
              style={{ transform: `translateY(${start}px)` }}
            >
              <LogLine
                number={index + 1}
                text={buffer.line(index)}
                look={buffer.look(index)}
                wanted={wanted !== '' && index === found[match] ? wanted : undefined}
              />
            </div>
          ))}
        </div>
      </section>
      {buffer.isFull && (
        <Notice>
          The log is longer than a page can hold. The rest: agentctl logs {runKey.name}
        </Notice>
      )}
    </section>
  )
}

/** How many rows a line takes at most, before it is laid out: far fewer long lines fit on a screen than short ones. */
function rowsOf(length: number, columns: number): number {
  return length <= columns ? 1 : Math.ceil(Math.min(length, partLength) / columns)
}

function lineClass(
  index: number,
  line: number | undefined,
  match: number | undefined,
  wanted: string,
): string {
  if (wanted !== '' && index === match) return 'log-line match'
  return index + 1 === line ? 'log-line marked' : 'log-line'
}

/** Says that there is nothing to wait for. */
export function NoLog({ why }: { readonly why: string }) {
  return (
    <Notice>
      <strong>No log was kept:</strong> {why}.
    </Notice>
  )
}

function stateText(log: LogState): string {
  const { state } = log
  if (state === 'following') return 'live'
  if (state === 'waiting') return 'waiting for the first output'
  if (state === 'ended') return log.isKept ? 'kept output: its pods are gone' : 'complete'
  if (state === 'lost') return 'connection lost'
  return state === 'failed' || state === 'notKept' ? 'no log' : 'loading'
}
