import { useEffect, useState } from 'react'
import { nextTask } from '../parts/next-task.ts'
import { FoundLines } from './found-lines.ts'
import type { LogBuffer } from './log-buffer.ts'

interface Found {
  /** Their indexes, as many as were found until now. */
  readonly lines: readonly number[]
  readonly isSearching: boolean
}

const nothingYet: Found = { lines: [], isSearching: true }

/** The lines of the log that contain the text, as they are found: the page can be used meanwhile. */
export function useFoundLines(buffer: LogBuffer, version: number, text: string): Found {
  const [search, setSearch] = useState(() => new FoundLines(buffer, text))
  const [found, setFound] = useState(nothingYet)
  const isCurrent = search.buffer === buffer && search.text === text
  // biome-ignore lint/correctness/useExhaustiveDependencies: the buffer grows in place, and its version says so.
  useEffect(() => {
    if (!isCurrent) {
      setSearch(new FoundLines(buffer, text))
      setFound(nothingYet)
      return
    }
    let isOver = false
    const run = async (): Promise<void> => {
      for (let isDone = false; !isDone; ) {
        await nextTask()
        if (isOver) return
        isDone = search.search()
        setFound({ lines: search.lines, isSearching: !isDone })
      }
    }
    void run()
    return () => {
      isOver = true
    }
  }, [search, isCurrent, buffer, version, text])
  return isCurrent ? found : nothingYet
}
