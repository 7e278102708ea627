import type { ConfigEffects } from './effects.ts'

const rereadMs = 60_000

/** A value computed from a file that may change. It is computed again only if the content changed. */
interface RereadFile<T> {
  /** Cached for a minute. If the file cannot be read, the last value remains. */
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
      // Files of a volume are missing for a moment while they are replaced.
      if (known === undefined) throw error
    }
    readAt = clock.elapsed()
    return known.value
  }
  return {
    current: () => {
      if (known !== undefined && clock.elapsed() - readAt < rereadMs) {
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
