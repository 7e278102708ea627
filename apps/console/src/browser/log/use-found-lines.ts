import { useEffect, useState } from 'react'
import { nextTask } from '../parts/next-task.ts'
import { FoundLines } from './found-lines.ts'
import type { LogBuffer } from './log-buffer.ts'

const nothing: readonly number[] = []

/** The lines of the log that contain the text, as they are found: the page can be used meanwhile. */
export function useFoundLines(buffer: LogBuffer, version: number, text: string): readonly number[] {
  const [search, setSearch] = useState(() => new FoundLines(buffer, text))
  const [, setFound] = useState<readonly number[]>(nothing)
  const isCurrent = search.buffer === buffer && search.text === text
  // biome-ignore lint/correctness/useExhaustiveDependencies: the buffer grows in place, and its version says so.
  useEffect(() => {
    if (!isCurrent) {
      setSearch(new FoundLines(buffer, text))
      return
    }
    let isOver = false
    const run = async (): Promise<void> => {
      await nextTask()
      while (!isOver && !search.search()) {
        setFound(search.lines)
        await nextTask()
      }
      if (!isOver) setFound(search.lines)
    }
    void run()
    return () => {
      isOver = true
    }
  }, [search, isCurrent, buffer, version, text])
  return isCurrent ? search.lines : nothing
}
