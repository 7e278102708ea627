import type { ConfigEffects } from './effects.ts'

const rereadMs = 60_000

/** The content of a file that changes now and then. While it stays the same, so does the value made of it. */
export interface RereadFile<T> {
  /** From memory for a minute. An unreadable file leaves the last value in place. */
  current(): Promise<T>
  expire(): void
}

export function createRereadFile<T>(
  path: string,
  { readFile, clock }: Pick<ConfigEffects, 'readFile' | 'clock'>,
  make: (text: string) => T,
): RereadFile<T> {
  let known: { text: string; value: T } | undefined
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<T> | undefined

  const read = async (): Promise<T> => {
    try {
      const text = await readFile(path)
      if (known?.text !== text) known = { text, value: make(text) }
    } catch (error) {
      // Files of a volume vanish for a moment while they are replaced.
      if (known === undefined) throw error
    }
    readAt = clock.now()
    return known.value
  }
  return {
    current: () => {
      if (known !== undefined && clock.now() - readAt < rereadMs) {
        return Promise.resolve(known.value)
      }
      reading ??= read().finally(() => {
        reading = undefined
      })
      return reading
    },
    expire: () => {
      readAt = Number.NEGATIVE_INFINITY
    },
  }
}
