import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function current(): number {
  return Math.max(now, Date.now() - 1000)
}

/** The time, once a second: all ages on a page change together. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => Math.floor(current() / 1000) * 1000)
}
