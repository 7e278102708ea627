import { useEffect, useState } from 'react'

/** Reading YAML takes longer than a key press may take: it waits until typing pauses. */
const pauseMs = 150

interface WrittenText {
  readonly text: string
  /** The text at the last pause: what is read, checked and shown beside it. */
  readonly settled: string
  /** For each key that is typed. */
  readonly type: (text: string) => void
  /** For a text that was made from another one, and is known to be right. */
  readonly put: (text: string) => void
}

/** A text that a person writes. */
export function useWrittenText(first: () => string): WrittenText {
  const [{ text, settled }, set] = useState(() => {
    const begun = first()
    return { text: begun, settled: begun }
  })
  useEffect(() => {
    if (text === settled) return
    const timer = setTimeout(() => set({ text, settled: text }), pauseMs)
    return () => clearTimeout(timer)
  }, [text, settled])
  return {
    text,
    settled,
    type: (typed) => set((before) => ({ ...before, text: typed })),
    put: (made) => set({ text: made, settled: made }),
  }
}
